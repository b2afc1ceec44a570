#include <string>

#include "gtest/gtest.h"
#include "libs/wire/frame_writer.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/wire/slices.h"

namespace posewire::wire {
namespace {

using nvidia_ace::animation_data::v1::AnimationDataStream;

EncodedFrame Encode(const AnimationDataStream& message) {
  const std::string bytes = message.SerializeAsString();
  return EncodeMessage({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, 1.5);
}

AnimationDataStream Frame() {
  AnimationDataStream message;
  auto& data = *message.mutable_animation_data();
  auto& key = *data.mutable_skel_animation()->add_blend_shape_weights();
  key.set_time_code(1.5);
  key.add_values(0.25f);
  data.mutable_audio()->set_time_code(1.5);
  data.mutable_audio()->set_audio_buffer(std::string(1000, 'x'));
  return message;
}

TEST(EncodeMessage, KeepsTheMessage) {
  const EncodedFrame frame = Encode(Frame());
  EXPECT_TRUE(frame.is_data());
  EXPECT_TRUE(frame.has_pose());
  EXPECT_EQ(frame.time_code_s(), 1.5);
  EXPECT_EQ(Parse(frame.Whole()).SerializeAsString(), Frame().SerializeAsString());
}

TEST(EncodeMessage, LeavesOutThePoseAlone) {
  AnimationDataStream bare = Frame();
  bare.mutable_animation_data()->clear_skel_animation();
  const EncodedFrame frame = Encode(Frame());
  EXPECT_EQ(Parse(frame.WithoutPose()).SerializeAsString(), bare.SerializeAsString());
  EXPECT_EQ(Parse(frame.CopyWithoutPose().Whole()).SerializeAsString(), bare.SerializeAsString());
}

TEST(EncodeMessage, KeepsFieldsThatNobodyKnows) {
  AnimationDataStream message = Frame();
  message.GetReflection()->MutableUnknownFields(&message)->AddVarint(77, 5);
  auto& data = *message.mutable_animation_data();
  data.GetReflection()->MutableUnknownFields(&data)->AddLengthDelimited(78, "unknown");
  data.GetReflection()->MutableUnknownFields(&data)->AddGroup(79)->AddVarint(1, 2);
  const EncodedFrame frame = Encode(message);
  EXPECT_EQ(Parse(frame.Whole()).SerializeAsString(), message.SerializeAsString());
  data.clear_skel_animation();
  EXPECT_EQ(Parse(frame.WithoutPose()).SerializeAsString(), message.SerializeAsString());
}

TEST(EncodeMessage, PassesOnWhatIsNoData) {
  AnimationDataStream message;
  message.mutable_status()->set_message("hello");
  const EncodedFrame frame = Encode(message);
  EXPECT_FALSE(frame.is_data());
  EXPECT_EQ(Parse(frame.CopyWithoutPose().Whole()).SerializeAsString(),
            message.SerializeAsString());
}

}  // namespace
}  // namespace posewire::wire
