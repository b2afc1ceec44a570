#include "libs/speech/face_track.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/speech/talk.h"

namespace posewire::speech {
namespace {

size_t ShapeIndex(absl::string_view name) {
  const auto names = FaceShapeNames();
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// Runs the track as a source does, and calls `frame` with each frame's values.
template <typename Frame>
double Perform(const std::vector<Phrase>& phrases, uint64_t seed, Frame frame) {
  FaceTrack face(seed);
  size_t added = 0;
  const double end_s = phrases.back().end_s + 0.5;
  FaceWeights weights;
  for (double t = 0; t <= end_s + 0.01; t += kFrame_s) {
    while (added < phrases.size() && phrases[added].start_s < t + 0.8) face.Add(phrases[added++]);
    if (added == phrases.size()) face.Finish(end_s - kFrame_s);
    face.At(t, MouthPose{}, HeadLook{}, weights);
    frame(t, weights);
  }
  return end_s;
}

TEST(FaceTrack, NamesTheShapesInApplesOrder) {
  const auto names = FaceShapeNames();
  ASSERT_EQ(names.size(), 40u);
  EXPECT_EQ(names[0], "eyeBlinkLeft");
  EXPECT_EQ(names[13], "jawOpen");
  EXPECT_EQ(names[18], "mouthSmileRight");
  EXPECT_EQ(names[34], "browInnerUp");
  EXPECT_EQ(names[39], "tongueOut");
}

TEST(FaceTrack, BlinksFullyEveryFewSeconds) {
  const size_t blink = ShapeIndex("eyeBlinkLeft");
  std::vector<double> shut_s;
  bool shut = false;
  const double end_s = Perform(Talk(1, 40), 5, [&](double t, const FaceWeights& w) {
    if (w[blink] > 0.999f && !shut) shut_s.push_back(t);
    shut = w[blink] > 0.999f;
  });
  ASSERT_GT(shut_s.size(), static_cast<size_t>(end_s / 6.5));
  for (size_t i = 1; i < shut_s.size(); ++i) {
    EXPECT_GT(shut_s[i] - shut_s[i - 1], 1.1) << shut_s[i];
    EXPECT_LT(shut_s[i] - shut_s[i - 1], 7.2) << shut_s[i];
  }
}

TEST(FaceTrack, RaisesTheBrowsAtTheEndOfAQuestion) {
  const size_t brow = ShapeIndex("browOuterUpLeft"), inner = ShapeIndex("browInnerUp");
  const Phrase p = MakePhrase(0, std::vector<std::string>(6, "word"), SpeechEnding::kQuestion);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Perform({p}, seed, [&](double t, const FaceWeights& w) {
      const bool near_end = std::abs(t - (p.speech_end_s - 0.1)) < kFrame_s / 2;
      EXPECT_LE(w[inner], w[brow]) << "looks worried";
      EXPECT_TRUE(!near_end || w[brow] > 0.3f) << w[brow];
    });
  }
}

TEST(FaceTrack, EyesStayOnTheListenerWhileTheHeadTurns) {
  FaceTrack face(1);
  FaceWeights w;
  face.At(0, MouthPose{}, {0.1f, 0.05f}, w);  // head to its left and down
  EXPECT_GT(w[ShapeIndex("eyeLookInLeft")], 0.1f);
  EXPECT_GT(w[ShapeIndex("eyeLookOutRight")], 0.1f);
  EXPECT_EQ(w[ShapeIndex("eyeLookOutLeft")], 0);
  EXPECT_GT(w[ShapeIndex("eyeLookUpLeft")], 0.05f);
}

}  // namespace
}  // namespace posewire::speech
