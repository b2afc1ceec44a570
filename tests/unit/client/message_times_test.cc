#include "libs/client/message_times.h"

#include "gtest/gtest.h"
#include "libs/client/uuid.h"

namespace posewire::client {
namespace {

using nvidia_ace::animation_data::v1::AnimationData;

TEST(MessageTimes, IsEmptyWithoutCodes) {
  AnimationData data;
  EXPECT_TRUE(TimesOf(data, 16000).empty());
  data.mutable_skel_animation();
  (*data.mutable_metadata())["emotion"].set_type_url("type.googleapis.com/x");
  EXPECT_TRUE(TimesOf(data, 16000).empty());
}

TEST(MessageTimes, SpansEveryTrack) {
  AnimationData data;
  data.mutable_skel_animation()->add_rotations()->set_time_code(2.5);
  EXPECT_EQ(TimesOf(data, 0).earliest_s, 2.5);
  data.mutable_skel_animation()->add_blend_shape_weights()->set_time_code(2.25);
  data.mutable_skel_animation()->add_translations()->set_time_code(2.75);
  data.mutable_skel_animation()->add_scales()->set_time_code(2.875);
  EXPECT_EQ(TimesOf(data, 0).earliest_s, 2.25);
  EXPECT_EQ(TimesOf(data, 0).latest_s, 2.875);
  data.mutable_camera()->add_position()->set_time_code(1);
  data.mutable_camera()->add_rotation()->set_time_code(3);
  data.mutable_camera()->add_focal_length()->set_time_code(0.5);
  data.mutable_camera()->add_focus_distance()->set_time_code(4);
  const MessageTimes times = TimesOf(data, 0);
  EXPECT_EQ(times.earliest_s, 0.5);
  EXPECT_EQ(times.latest_s, 4);
  EXPECT_EQ(times.first_pose_s, 2.25);
}

TEST(MessageTimes, AudioReachesToTheEndOfItsBuffer) {
  AnimationData data;
  data.mutable_audio()->set_time_code(1);
  data.mutable_audio()->set_audio_buffer(std::string(16000, '\0'));
  EXPECT_EQ(TimesOf(data, 16000).latest_s, 1.5);
  EXPECT_EQ(TimesOf(data, 8000).latest_s, 2);
  EXPECT_EQ(TimesOf(data, 0).latest_s, 1);
  EXPECT_EQ(TimesOf(data, 16000).earliest_s, 1);
}

TEST(ShiftCodes, MovesEveryTrackAndStopsAtZero) {
  AnimationData data;
  data.mutable_skel_animation()->add_rotations()->set_time_code(10.5);
  data.mutable_skel_animation()->add_blend_shape_weights()->set_time_code(11);
  data.mutable_skel_animation()->add_translations()->set_time_code(12);
  data.mutable_skel_animation()->add_scales()->set_time_code(13);
  data.mutable_camera()->add_position()->set_time_code(14);
  data.mutable_camera()->add_rotation()->set_time_code(15);
  data.mutable_camera()->add_focal_length()->set_time_code(16);
  data.mutable_camera()->add_focus_distance()->set_time_code(17);
  data.mutable_audio()->set_time_code(9.75);
  ShiftCodes(-10, data);
  EXPECT_EQ(data.skel_animation().rotations(0).time_code(), 0.5);
  EXPECT_EQ(data.skel_animation().blend_shape_weights(0).time_code(), 1);
  EXPECT_EQ(data.skel_animation().translations(0).time_code(), 2);
  EXPECT_EQ(data.skel_animation().scales(0).time_code(), 3);
  EXPECT_EQ(data.camera().position(0).time_code(), 4);
  EXPECT_EQ(data.camera().rotation(0).time_code(), 5);
  EXPECT_EQ(data.camera().focal_length(0).time_code(), 6);
  EXPECT_EQ(data.camera().focus_distance(0).time_code(), 7);
  EXPECT_EQ(data.audio().time_code(), 0);
}

TEST(ShiftCodes, AddsNoFieldsAndKeepsUnknownOnes) {
  // Field 999, varint 7: no such field in AnimationData.
  const std::string unknown("\xb8\x3e\x07", 3);
  AnimationData data;
  ASSERT_TRUE(data.ParseFromString(unknown));
  ShiftCodes(5, data);
  EXPECT_EQ(data.SerializeAsString(), unknown);
}

TEST(Uuid, HasTheFormOfVersion4AndDiffers) {
  const std::string uuid = MakeUuid();
  ASSERT_EQ(uuid.size(), 36u);
  EXPECT_EQ(uuid[8], '-');
  EXPECT_EQ(uuid[13], '-');
  EXPECT_EQ(uuid[14], '4');
  EXPECT_EQ(uuid[18], '-');
  EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
  EXPECT_EQ(uuid[23], '-');
  EXPECT_NE(uuid, MakeUuid());
}

}  // namespace
}  // namespace posewire::client
