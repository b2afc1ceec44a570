#include "services/renderer_sink/livelink/livelink_consumer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/service/udp_socket.h"
#include "tests/unit/renderer_sink/messages.h"

namespace posewire::renderer_sink {
namespace {

using ::testing::HasSubstr;

// A receiver: the packets it heard.
struct Unreal {
  Unreal() : socket(*service::UdpReceiver::Bind("127.0.0.1:0", false)) {}
  std::string address() const { return absl::StrCat("127.0.0.1:", socket.port()); }
  // Loopback delivers before the sender's call returns.
  std::vector<livelink::Packet> Hear() {
    std::vector<char> buffer(service::kMaxUdpBytes);
    std::vector<livelink::Packet> packets;
    while (auto size = socket.Receive(absl::MakeSpan(buffer))) {
      EXPECT_EQ(livelink::ParsePacket({buffer.data(), *size}, packets.emplace_back()),
                absl::OkStatus());
    }
    return packets;
  }
  service::UdpReceiver socket;
};

Message FaceHeader(const std::vector<std::string>& joints) {
  Message m;
  auto* skel = m.mutable_animation_data_stream_header()->mutable_skel_animation_header();
  for (const auto& j : joints) skel->add_joints(j);
  for (const char* s : {"jawOpen", "mouthClose"}) skel->add_blend_shapes(s);
  return m;
}

const std::vector<std::string> kHeadJoints = {"HumanoidRoot", "skullbase"};

// The head turned to the person's left by `yaw_rad`.
Message FaceFrame(double time_code_s, size_t joints, double yaw_rad = 0) {
  Message m;
  auto* skel = m.mutable_animation_data()->mutable_skel_animation();
  if (joints > 0) {
    auto* rotations = skel->add_rotations();
    rotations->set_time_code(time_code_s);
    for (size_t j = 0; j < joints; ++j) {
      auto* q = rotations->add_values();
      const double angle = j + 1 == joints ? yaw_rad / 2 : 0;
      q->set_real(static_cast<float>(std::cos(angle)));
      q->set_j(static_cast<float>(std::sin(angle)));
    }
  }
  auto* weights = skel->add_blend_shape_weights();
  weights->set_time_code(time_code_s);
  weights->add_values(0.1f);
  weights->add_values(0.4f);
  return m;
}

TEST(LivelinkConsumer, FramesAreApplesFaceAndTheHeadsAngles) {
  Unreal one, two;
  auto consumer =
      LivelinkConsumer::Create({.to = {one.address(), two.address()}, .subject = "Anna"}, {});
  ASSERT_TRUE(consumer.ok()) << consumer.status();
  const Message header = FaceHeader(kHeadJoints);
  ASSERT_TRUE(GiveHeader(**consumer, header).ok());
  ASSERT_TRUE(GiveData(**consumer, FaceFrame(0, 2, 0.5), 100, header).ok());
  ASSERT_TRUE(GiveData(**consumer, FaceFrame(1, 2, 0.5), 101, header).ok());
  for (Unreal* receiver : {&one, &two}) {
    const auto packets = receiver->Hear();
    ASSERT_EQ(packets.size(), 2u);
    EXPECT_EQ(packets[0].subject, "Anna");
    EXPECT_EQ(packets[0].device_id.size(), 36u);
    EXPECT_EQ(packets[0].device_id, packets[1].device_id);
    ASSERT_TRUE(packets[0].has_face);
    EXPECT_FLOAT_EQ(packets[0].curves[skel::kArkitJawOpen], 0.5f);
    EXPECT_FLOAT_EQ(packets[0].curves[skel::kArkitMouthClose], 0.4f);
    EXPECT_NEAR(packets[0].curves[livelink::kHeadYaw], -0.5, 1e-4);
    EXPECT_EQ(packets[0].time.rate_num, 60);
    EXPECT_EQ(packets[0].time.rate_den, 1);
    const int day = 24 * 3600 * 60;
    EXPECT_EQ((packets[1].time.frame - packets[0].time.frame + day) % day, 60);
  }
  EXPECT_EQ((*consumer)->counts().datagrams, 4u);
}

TEST(LivelinkConsumer, AStreamWithoutJointsIsAFaceWithoutAHead) {
  Unreal unreal;
  auto consumer = LivelinkConsumer::Create({.to = {unreal.address()}}, {});
  ASSERT_TRUE(consumer.ok());
  const Message header = FaceHeader({});
  ASSERT_TRUE(GiveHeader(**consumer, header).ok());
  ASSERT_TRUE(GiveData(**consumer, FaceFrame(0, 0), 100, header).ok());
  const auto packets = unreal.Hear();
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_FLOAT_EQ(packets[0].curves[skel::kArkitJawOpen], 0.5f);
  EXPECT_EQ(packets[0].curves[livelink::kHeadYaw], 0);
}

TEST(LivelinkConsumer, ReceiversGetNoFaceWhenNothingComes) {
  Unreal unreal;
  auto consumer = LivelinkConsumer::Create({.to = {unreal.address()}}, {});
  ASSERT_TRUE(consumer.ok());
  const Message header = FaceHeader(kHeadJoints);
  ASSERT_TRUE(GiveHeader(**consumer, header).ok());
  ASSERT_TRUE(GiveData(**consumer, FaceFrame(0, 2), 100, header).ok());
  ASSERT_TRUE((*consumer)->Tick(100.5).ok());
  EXPECT_EQ(unreal.Hear().size(), 1u);
  ASSERT_TRUE((*consumer)->Tick(101.5).ok());
  ASSERT_TRUE((*consumer)->Tick(102).ok());
  auto packets = unreal.Hear();
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_FALSE(packets[0].has_face);
  ASSERT_TRUE((*consumer)->Close().ok());
  packets = unreal.Hear();
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_FALSE(packets[0].has_face);
}

TEST(LivelinkConsumer, FractionalRatesAreFractions) {
  Unreal unreal;
  auto consumer = LivelinkConsumer::Create({.to = {unreal.address()}, .send_hz = 29.97}, {});
  ASSERT_TRUE(consumer.ok());
  const Message header = FaceHeader(kHeadJoints);
  ASSERT_TRUE(GiveHeader(**consumer, header).ok());
  ASSERT_TRUE(GiveData(**consumer, FaceFrame(0, 2), 100, header).ok());
  const auto packets = unreal.Hear();
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(packets[0].time.rate_num, 29970);
  EXPECT_EQ(packets[0].time.rate_den, 1000);
}

TEST(LivelinkConsumer, WhatCannotBeIsRejected) {
  EXPECT_EQ(LivelinkConsumer::Create({.to = {"a:b"}}, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(LivelinkConsumer::Create({.subject = ""}, {}).status().message()),
              HasSubstr("subject \"\""));
  auto consumer = LivelinkConsumer::Create({}, {});
  ASSERT_TRUE(consumer.ok());
  EXPECT_EQ(GiveHeader(**consumer, FaceHeader({"a", "b"})).code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace posewire::renderer_sink
