#include "services/a2f_source/core/heard_mood.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "libs/wire/voice_mood.h"

namespace posewire::a2f_source {
namespace {

TEST(HeardMood, NeutralVoicesShowNothing) {
  for (const float emotion : EmotionsOf({0, 0})) EXPECT_EQ(emotion, 0);
}

TEST(HeardMood, ArousalAndValenceChooseTheEmotion) {
  const Emotions excited = EmotionsOf({0.8F, 0});
  EXPECT_GT(excited[kAmazement], 0.5F);
  EXPECT_EQ(excited[kSadness], 0);
  const Emotions happy = EmotionsOf({0.6F, 0.3F}), angry = EmotionsOf({0.6F, -0.3F});
  EXPECT_GT(happy[kJoy], 0.3F);
  EXPECT_EQ(happy[kAnger], 0);
  EXPECT_GT(angry[kAnger], 0.3F);
  EXPECT_EQ(angry[kJoy], 0);
  const Emotions tired = EmotionsOf({-0.7F, 0});
  EXPECT_GT(tired[kSadness], 0.5F);
  EXPECT_EQ(tired[kAmazement], 0);
}

TEST(HeardMood, StaysInRangeAndGrowsWithTheMood) {
  for (float arousal = -1; arousal <= 1; arousal += 0.25F) {
    for (float valence = -1; valence <= 1; valence += 0.25F) {
      for (const float emotion : EmotionsOf({arousal, valence})) {
        EXPECT_GE(emotion, 0);
        EXPECT_LE(emotion, 1);
      }
    }
  }
  EXPECT_GT(EmotionsOf({0.8F, 0})[kAmazement], EmotionsOf({0.4F, 0})[kAmazement] + 0.2F);
}

TEST(HeardMood, ContrastFavoursTheStrongest) {
  const speech::Mood mood = {0.6F, 0.1F};
  const Emotions usual = EmotionsOf(mood), more = EmotionsOf(mood, 3),
                 less = EmotionsOf(mood, 0.3F);
  EXPECT_FLOAT_EQ(more[kAmazement], usual[kAmazement]);
  EXPECT_FLOAT_EQ(less[kAmazement], usual[kAmazement]);
  EXPECT_LT(more[kJoy], usual[kJoy] - 0.05F);
  EXPECT_GT(less[kJoy], usual[kJoy] + 0.05F);
}

TEST(MoodAnnouncer, SaysWhatIsNews) {
  MoodAnnouncer announcer;
  std::vector<wire::MetadataEntry> out;
  announcer.Announce(0, {0.01F, 0}, out);
  EXPECT_TRUE(out.empty());
  announcer.Announce(0.1, {0.5F, -0.1F}, out);
  ASSERT_EQ(out.size(), 1u);
  const std::optional<wire::VoiceMood> read = wire::ReadVoiceMood(out[0]);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->arousal, 0.5F);
  EXPECT_EQ(read->valence, -0.1F);
  announcer.Announce(0.2, {0.52F, -0.1F}, out);
  EXPECT_EQ(out.size(), 1u);
  announcer.Announce(0.3, {0, 0}, out);
  EXPECT_EQ(out.size(), 2u);
  announcer.Announce(2.2, {0, 0}, out);
  EXPECT_EQ(out.size(), 2u);
  announcer.Announce(2.4, {0, 0}, out);
  EXPECT_EQ(out.size(), 3u) << "who comes later hears it too";
}

}  // namespace
}  // namespace posewire::a2f_source
