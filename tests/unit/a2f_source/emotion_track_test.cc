#include "services/a2f_source/core/emotion_track.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace posewire::a2f_source {
namespace {

using testing::Each;
using testing::FloatNear;

constexpr double kStep_s = 1.0 / 30;

Emotions Of(Emotion emotion, float strength) {
  Emotions emotions{};
  emotions[emotion] = strength;
  return emotions;
}

// Shown at once.
EmotionSettings Instant() {
  return {.given_strength = 1, .strength = 1, .keep = 0, .transition_s = 1e-6f};
}

Emotions After(EmotionTrack& track, double from_s, double to_s) {
  Emotions at{};
  for (double t_s = from_s; t_s <= to_s; t_s += kStep_s) at = track.At(t_s, kStep_s);
  return at;
}

TEST(EmotionTrack, IsNeutralWithoutEmotions) {
  EmotionTrack track({});
  EXPECT_THAT(After(track, 0, 1), Each(0.0f));
  EXPECT_TRUE(track.begun().empty());
}

TEST(EmotionTrack, HoldsEachFromItsTimeOn) {
  EmotionTrack track(Instant());
  track.Add({2, Of(kFear, 0.5f)});
  track.Add({1, Of(kJoy, 1)});
  EXPECT_THAT(track.At(0.5, kStep_s), Each(0.0f));
  EXPECT_EQ(track.At(1, kStep_s)[kJoy], 1);
  ASSERT_EQ(track.begun().size(), 1u);
  EXPECT_EQ(track.begun()[0].time_s, 1);
  EXPECT_EQ(track.At(1.5, kStep_s)[kJoy], 1);
  EXPECT_TRUE(track.begun().empty());
  const Emotions after = track.At(2.5, kStep_s);
  EXPECT_EQ(after[kJoy], 0);
  EXPECT_EQ(after[kFear], 0.5f);
}

TEST(EmotionTrack, HeardOnesHaveTheShareThatIsLeft) {
  EmotionSettings settings = Instant();
  settings.given_strength = 0.25f;
  EmotionTrack track(settings);
  EXPECT_FLOAT_EQ(track.At(0, kStep_s, Of(kSadness, 0.8f))[kSadness], 0.6f);
  track.Add({1, Of(kJoy, 1)});
  const Emotions both = track.At(1, kStep_s, Of(kSadness, 0.8f));
  EXPECT_FLOAT_EQ(both[kJoy], 0.25f);
  EXPECT_FLOAT_EQ(both[kSadness], 0.6f);
  settings.use_given = false;
  EmotionTrack heard(settings);
  heard.Add({0, Of(kJoy, 1)});
  const Emotions alone = heard.At(0, kStep_s, Of(kSadness, 0.8f));
  EXPECT_EQ(alone[kJoy], 0);
  EXPECT_FLOAT_EQ(alone[kSadness], 0.8f);
}

TEST(EmotionTrack, ALateOneHoldsUnlessALaterOneDoes) {
  EmotionTrack track(Instant());
  track.Add({2, Of(kJoy, 1)});
  EXPECT_EQ(track.At(3, kStep_s)[kJoy], 1);
  track.Add({1, Of(kAnger, 1)});
  EXPECT_EQ(track.At(4, kStep_s)[kJoy], 1);
  EXPECT_EQ(track.begun().size(), 1u);
  track.Add({2.5, Of(kAnger, 1)});
  EXPECT_EQ(track.At(5, kStep_s)[kAnger], 1);
}

TEST(EmotionTrack, CountsTheStrongestAlone) {
  EmotionSettings settings = Instant();
  settings.most = 2;
  EmotionTrack track(settings);
  Emotions given{};
  given[kJoy] = 0.2f;
  given[kPain] = 0.9f;
  given[kFear] = 0.4f;
  track.Add({0, given});
  const Emotions shown = track.At(0, kStep_s);
  EXPECT_EQ(shown[kJoy], 0);
  EXPECT_EQ(shown[kPain], 0.9f);
  EXPECT_EQ(shown[kFear], 0.4f);
}

TEST(EmotionTrack, ScalesByBothStrengths) {
  EmotionSettings settings = Instant();
  settings.given_strength = 0.5f;
  settings.strength = 0.6f;
  EmotionTrack track(settings);
  track.Add({0, Of(kJoy, 1)});
  EXPECT_FLOAT_EQ(track.At(0, kStep_s)[kJoy], 0.3f);
}

TEST(EmotionTrack, GivenOnesDoNothingWhenTheyAreNotToBeUsed) {
  EmotionSettings settings = Instant();
  settings.use_given = false;
  EmotionTrack track(settings);
  track.Add({0, Of(kJoy, 1)});
  EXPECT_THAT(track.At(0, kStep_s), Each(0.0f));
  EXPECT_EQ(track.begun().size(), 1u);
}

TEST(EmotionTrack, IsThereByTheTransitionsTime) {
  EmotionSettings settings = Instant();
  settings.transition_s = 0.5f;
  EmotionTrack track(settings);
  track.Add({0, Of(kJoy, 1)});
  EXPECT_LT(track.At(0, kStep_s)[kJoy], 0.3f);
  EXPECT_NEAR(After(track, kStep_s, 0.5 - kStep_s / 2)[kJoy], 0.95f, 0.02f);
}

TEST(EmotionTrack, BeginsWithTheBeginning) {
  EmotionSettings settings;
  settings.keep = 1;  // nothing ever changes
  settings.beginning = Of(kSadness, 1);
  EmotionTrack track(settings);
  track.Add({0, Of(kJoy, 1)});
  const Emotions shown = After(track, 0, 2);
  EXPECT_EQ(shown[kJoy], 0);
  EXPECT_THAT(shown[kSadness], FloatNear(0.6f, 1e-6f));
}

}  // namespace
}  // namespace posewire::a2f_source
