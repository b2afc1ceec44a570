#include "services/a2f_source/core/face_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace posewire::a2f_source {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace a2f = nvidia_ace::a2f::v1;

std::string RejectionOf(const a2f::AudioStreamHeader& header) {
  IgnoredFields ignored_fields;
  const auto read = ReadFaceSettings(header, ignored_fields);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(read.status().message());
}

std::string UnheededOf(const a2f::AudioStreamHeader& header) {
  IgnoredFields ignored_fields;
  const auto read = ReadFaceSettings(header, ignored_fields);
  EXPECT_TRUE(read.ok()) << read.status();
  return ignored_fields.Text();
}

void SetFace(a2f::AudioStreamHeader& header, const std::string& name, float value) {
  (*header.mutable_face_params()->mutable_float_params())[name] = value;
}

TEST(FaceSettings, AnEmptyHeaderIsTheDefaults) {
  IgnoredFields ignored_fields;
  const auto read = ReadFaceSettings({}, ignored_fields);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(ignored_fields.Text(), "");
  EXPECT_FALSE(read->clamp);
  EXPECT_EQ(read->multipliers[0], 1);
  EXPECT_EQ(read->offsets[67], 0);
  EXPECT_EQ(read->emotions.most, 3);
  EXPECT_TRUE(read->emotions.use_given);
}

TEST(FaceSettings, TakesEveryParameterThatACENames) {
  a2f::AudioStreamHeader header;
  for (const char* name : {"lowerFaceSmoothing", "upperFaceSmoothing", "lowerFaceStrength",
                           "upperFaceStrength", "faceMaskLevel", "faceMaskSoftness", "skinStrength",
                           "blinkStrength", "eyelidOpenOffset", "lipOpenOffset", "blinkOffset",
                           "tongueStrength", "tongueHeightOffset", "tongueDepthOffset"}) {
    SetFace(header, name, 0.05f);
  }
  IgnoredFields ignored_fields;
  const auto read = ReadFaceSettings(header, ignored_fields);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ignored_fields.Text(), "");
  EXPECT_EQ(read->tuning.lower_face_strength, 0.05f);
  EXPECT_EQ(read->tongue.strength, 0.05f);
  EXPECT_EQ(read->tongue.depth_offset, 0.05f);
  EXPECT_EQ(read->blink_offset, 0.05f);
}

TEST(FaceSettings, TakesTheContrastOfHeardEmotions) {
  a2f::AudioStreamHeader header;
  header.mutable_emotion_post_processing_params()->set_emotion_contrast(2);
  IgnoredFields ignored_fields;
  const auto read = ReadFaceSettings(header, ignored_fields);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->emotions.heard_contrast, 2);
  EXPECT_EQ(ignored_fields.Text(), "");
}

TEST(FaceSettings, NamesWhatHasNoEffect) {
  a2f::AudioStreamHeader header;
  SetFace(header, "inputStrength", 1);
  (*header.mutable_face_params()->mutable_integer_params())["count"] = 1;
  (*header.mutable_face_params()->mutable_float_array_params())["list"];
  (*header.mutable_blendshape_params()->mutable_bs_weight_offsets())["EarLeft"] = 0.1f;
  (*header.mutable_emotion_params()->mutable_beginning_emotion())["boredom"] = 0.1f;
  EXPECT_THAT(UnheededOf(header),
              AllOf(HasSubstr("face_params.float_params has nothing called \"inputStrength\""),
                    HasSubstr("\"count\""), HasSubstr("\"list\""),
                    HasSubstr("bs_weight_offsets has nothing called \"EarLeft\""),
                    HasSubstr("\"boredom\"")));
}

TEST(FaceSettings, ManyUnknownNamesMakeAShortAnswer) {
  a2f::AudioStreamHeader header;
  for (int i = 0; i < 5000; ++i) SetFace(header, std::to_string(i) + std::string(100, 'x'), 1);
  const std::string text = UnheededOf(header);
  EXPECT_LT(text.size(), 4000u);
  EXPECT_THAT(text, HasSubstr("and 4984 more"));
}

TEST(FaceSettings, RejectsValuesOutOfRangeByField) {
  const auto rejection = [](const std::string& name, float value) {
    a2f::AudioStreamHeader header;
    SetFace(header, name, value);
    return RejectionOf(header);
  };
  EXPECT_THAT(
      rejection("lowerFaceStrength", 9),
      AllOf(HasSubstr("face_params.float_params.lowerFaceStrength: 9"), HasSubstr("0 to 2")));
  EXPECT_THAT(rejection("tongueHeightOffset", -4), HasSubstr("tongueHeightOffset: -4, -3 to 3"));
  EXPECT_THAT(rejection("blinkOffset", std::numeric_limits<float>::quiet_NaN()),
              HasSubstr("blinkOffset: nan"));
}

TEST(FaceSettings, RejectsEmotionsOutOfRangeByField) {
  const auto rejection = [](auto set) {
    a2f::AudioStreamHeader header;
    set(*header.mutable_emotion_post_processing_params(), *header.mutable_emotion_params());
    return RejectionOf(header);
  };
  EXPECT_THAT(rejection([](auto& post, auto&) { post.set_emotion_contrast(0.2f); }),
              HasSubstr("emotion_post_processing_params.emotion_contrast: 0.2"));
  EXPECT_THAT(rejection([](auto& post, auto&) { post.set_live_blend_coef(1.5f); }),
              HasSubstr("live_blend_coef: 1.5, 0 to 1 is right"));
  EXPECT_THAT(rejection([](auto& post, auto&) { post.set_preferred_emotion_strength(-1); }),
              HasSubstr("preferred_emotion_strength: -1"));
  EXPECT_THAT(rejection([](auto& post, auto&) { post.set_emotion_strength(2); }),
              HasSubstr("emotion_strength: 2"));
  EXPECT_THAT(rejection([](auto& post, auto&) { post.set_max_emotions(7); }),
              HasSubstr("max_emotions: 7, 1 to 6 is right"));
  EXPECT_THAT(rejection([](auto&, auto& params) { params.set_live_transition_time(0); }),
              HasSubstr("emotion_params.live_transition_time: 0"));
  EXPECT_THAT(
      rejection([](auto&, auto& params) { (*params.mutable_beginning_emotion())["joy"] = 2; }),
      HasSubstr("emotion_params.beginning_emotion.joy: 2, 0 to 1 is right"));
}

TEST(FaceSettings, TakesShapesInUpperAndLowerCase) {
  a2f::AudioStreamHeader header;
  auto& shapes = *header.mutable_blendshape_params();
  (*shapes.mutable_bs_weight_multipliers())["JawOpen"] = 2;
  (*shapes.mutable_bs_weight_multipliers())["tongueUp"] = 3;
  (*shapes.mutable_bs_weight_offsets())["EyeWideLeft"] = 0.5f;
  IgnoredFields ignored_fields;
  const auto read = ReadFaceSettings(header, ignored_fields);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->multipliers[AceShapeAt("jawOpen")], 2);
  EXPECT_EQ(read->multipliers[AceShapeAt("TongueUp")], 3);
  EXPECT_EQ(read->offsets[AceShapeAt("EyeWideLeft")], 0.5f);
  (*shapes.mutable_bs_weight_offsets())["JawOpen"] = 101;
  EXPECT_THAT(RejectionOf(header), HasSubstr("blendshape_params.bs_weight_offsets.JawOpen: 101"));
}

}  // namespace
}  // namespace posewire::a2f_source
