#include "libs/speech/face_tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

namespace posewire::speech {
namespace {

using ::testing::HasSubstr;

size_t At(absl::string_view name) {
  const auto names = FaceShapeNames();
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

FaceWeights Face() {
  FaceWeights face;
  face.fill(0.3f);
  return face;
}

FaceWeights Tuned(const FaceTuning& tuning) {
  FaceWeights face = Face();
  FaceTuner(tuning).Apply(1.0 / 30, face);
  return face;
}

TEST(FaceTuning, LeavesAFaceAsItIsByDefault) { EXPECT_EQ(Tuned({}), Face()); }

TEST(FaceTuning, StrengthsScaleTheirPartOfTheFace) {
  FaceTuning tuning;
  ASSERT_TRUE(SetFaceParameter("lowerFaceStrength", 0.5f, tuning).ok());
  EXPECT_FLOAT_EQ(Tuned(tuning)[At("jawOpen")], 0.15f);
  EXPECT_FLOAT_EQ(Tuned(tuning)[At("browInnerUp")], 0.3f);
  ASSERT_TRUE(SetFaceParameter("upperFaceStrength", 2, tuning).ok());
  EXPECT_FLOAT_EQ(Tuned(tuning)[At("browInnerUp")], 0.6f);
  ASSERT_TRUE(SetFaceParameter("skinStrength", 0.5f, tuning).ok());
  EXPECT_FLOAT_EQ(Tuned(tuning)[At("browInnerUp")], 0.3f);
  EXPECT_FLOAT_EQ(Tuned(tuning)[At("eyeBlinkLeft")], 0.6f);
  ASSERT_TRUE(SetFaceParameter("blinkStrength", 0, tuning).ok());
  EXPECT_FLOAT_EQ(Tuned(tuning)[At("eyeBlinkLeft")], 0);
  ASSERT_TRUE(SetFaceParameter("tongueStrength", 3, tuning).ok());
  EXPECT_FLOAT_EQ(Tuned(tuning)[At("tongueOut")], 0.9f);
  EXPECT_FLOAT_EQ(Tuned(tuning)[At("eyeLookUpLeft")], 0.3f) << "the eyes stay on the listener";
}

TEST(FaceTuning, TheMaskSaysWhatIsTheUpperFace) {
  FaceTuning tuning;
  tuning.upper_face_strength = 0;
  EXPECT_NEAR(Tuned(tuning)[At("mouthPucker")], 0.3f, 1e-6);
  tuning.face_mask_level = 0;
  EXPECT_NEAR(Tuned(tuning)[At("mouthPucker")], 0, 1e-6);
  tuning.face_mask_level = 0.3f;
  tuning.face_mask_softness = 0.5f;
  EXPECT_NEAR(Tuned(tuning)[At("mouthPucker")], 0.15f, 0.01f);
}

TEST(FaceTuning, OffsetsOpenLipsAndLids) {
  FaceTuning tuning;
  ASSERT_TRUE(SetFaceParameter("lipOpenOffset", 0.1f, tuning).ok());
  EXPECT_FLOAT_EQ(Tuned(tuning)[At("jawOpen")], 0.4f);
  ASSERT_TRUE(SetFaceParameter("eyelidOpenOffset", -0.5f, tuning).ok());
  EXPECT_FLOAT_EQ(Tuned(tuning)[At("eyeBlinkRight")], 0.65f);
}

TEST(FaceTuning, ShapesHaveMultipliersAndOffsets) {
  FaceTuning tuning;
  ASSERT_TRUE(SetShapeMultiplier("jawOpen", 2, tuning).ok());
  ASSERT_TRUE(SetShapeOffset("jawOpen", -0.1f, tuning).ok());
  EXPECT_FLOAT_EQ(Tuned(tuning)[At("jawOpen")], 0.5f);
  ASSERT_TRUE(SetShapeMultiplier("jawOpen", 5, tuning).ok());
  EXPECT_EQ(Tuned(tuning)[At("jawOpen")], 1);
  tuning.clamp = false;
  EXPECT_FLOAT_EQ(Tuned(tuning)[At("jawOpen")], 1.4f);
}

TEST(FaceTuning, SmoothsOverTimeFromTheFirstFaceOn) {
  FaceTuning tuning;
  ASSERT_TRUE(SetFaceParameter("lowerFaceSmoothing", 0.1f, tuning).ok());
  FaceTuner tuner(tuning);
  FaceWeights face = Face();
  tuner.Apply(0.1, face);
  EXPECT_EQ(face, Face());
  face.fill(0.9f);
  tuner.Apply(0.1, face);
  EXPECT_NEAR(face[At("jawOpen")], 0.9 - 0.6 * std::exp(-1.0), 1e-4);
  EXPECT_FLOAT_EQ(face[At("browInnerUp")], 0.9f);
}

TEST(FaceTuning, NamesWhatIsWrong) {
  FaceTuning tuning;
  const auto message = [](const absl::Status& s) { return std::string(s.message()); };
  EXPECT_THAT(message(SetFaceParameter("lowerFaceStrength", 2.5f, tuning)),
              HasSubstr("lowerFaceStrength: 2.5, 0 to 2 is right"));
  EXPECT_THAT(message(SetFaceParameter("faceStrength", 1, tuning)), HasSubstr("skinStrength"));
  EXPECT_THAT(message(SetShapeOffset("jaw", 1, tuning)), HasSubstr("\"jaw\""));
  EXPECT_THAT(
      message(SetShapeMultiplier("jawOpen", std::numeric_limits<float>::quiet_NaN(), tuning)),
      HasSubstr("jawOpen"));
  EXPECT_EQ(tuning.lower_face_strength, 1);
}

}  // namespace
}  // namespace posewire::speech
