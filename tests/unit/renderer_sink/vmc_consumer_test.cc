#include "services/renderer_sink/vmc/vmc_consumer.h"

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/service/udp_socket.h"
#include "libs/vmc/datagram_packer.h"
#include "libs/vmc/datagram_reader.h"
#include "libs/vmc/performer.h"
#include "libs/wire/vmc_entry.h"
#include "tests/unit/renderer_sink/messages.h"

namespace posewire::renderer_sink {
namespace {

using ::testing::HasSubstr;

// A marionette: what it heard.
struct Marionette {
  Marionette() : socket(*service::UdpReceiver::Bind("127.0.0.1:0", false)) {}
  std::string address() const { return absl::StrCat("127.0.0.1:", socket.port()); }
  // Loopback delivers before the sender's call returns.
  int Hear() {
    std::vector<char> buffer(service::kMaxUdpBytes);
    int datagrams = 0;
    while (auto size = socket.Receive(absl::MakeSpan(buffer))) {
      ++datagrams;
      largest = std::max(largest, *size);
      reader.Read({buffer.data(), *size}, [this](const vmc::Message& m) {
        performer.Take(m, 0);
        if (std::holds_alternative<vmc::Ok>(m)) ++frames;
        if (std::holds_alternative<vmc::BonePose>(m)) ++bones;
        if (const auto* vrm = std::get_if<vmc::VrmFile>(&m)) vrm_path = std::string(vrm->path);
        if (std::holds_alternative<vmc::Key>(m)) ++keys;
        if (std::holds_alternative<vmc::MidiValue>(m)) ++knobs;
      });
    }
    return datagrams;
  }
  service::UdpReceiver socket;
  vmc::DatagramReader reader;
  vmc::Performer performer;
  size_t largest = 0;
  int frames = 0, bones = 0, keys = 0, knobs = 0;
  std::string vrm_path;
};

Message MarionetteHeader(const std::vector<std::string>& joints,
                         const std::vector<std::string>& shapes) {
  Message m;
  auto* skel = m.mutable_animation_data_stream_header()->mutable_skel_animation_header();
  for (const auto& j : joints) skel->add_joints(j);
  for (const auto& s : shapes) skel->add_blend_shapes(s);
  return m;
}

const std::vector<std::string> kJoints = {"HumanoidRoot", "HumanoidRoot/sacroiliac/l_hip",
                                          "l_shoulder", "l_elbow", "r_shoulder"};

Message MarionetteFrame(double time_code_s, float weight = 0.5f) {
  Message m;
  auto* skel = m.mutable_animation_data()->mutable_skel_animation();
  auto* rotations = skel->add_rotations();
  rotations->set_time_code(time_code_s);
  for (size_t j = 0; j < kJoints.size(); ++j) rotations->add_values()->set_real(1);
  auto* weights = skel->add_blend_shape_weights();
  weights->set_time_code(time_code_s);
  weights->add_values(weight);
  return m;
}

absl::Status Give(VmcConsumer& consumer, const Message& frame, double receive_s) {
  return GiveData(consumer, frame, receive_s, MarionetteHeader(kJoints, {"jawOpen"}));
}

TEST(VmcConsumer, EveryReceiverGetsFramesThatOurOwnReaderUnderstands) {
  Marionette one, two;
  auto consumer = VmcConsumer::Create({.to = {one.address(), two.address()}}, false, {});
  ASSERT_TRUE(consumer.ok()) << consumer.status();
  ASSERT_TRUE(GiveHeader(**consumer, MarionetteHeader(kJoints, {"jawOpen"})).ok());
  for (int k = 0; k < 30; ++k) {
    ASSERT_TRUE(Give(**consumer, MarionetteFrame(k / 30.0), 100 + k / 30.0).ok());
  }
  for (Marionette* m : {&one, &two}) {
    m->Hear();
    EXPECT_EQ(m->frames, 30);
    EXPECT_EQ(m->reader.counts().rejected_in_all(), 0u);
    EXPECT_LE(m->largest, vmc::kSafeDatagramBytes);
    EXPECT_TRUE(m->performer.loaded());
    EXPECT_NEAR(m->performer.arkit()[vmc::kJawOpen], 0.5, 1e-6);
    EXPECT_EQ(m->performer.devices().size(), 6u);
  }
}

TEST(VmcConsumer, FramesBeyondTheRateAreLeftOutEvenly) {
  Marionette m;
  auto consumer = VmcConsumer::Create({.to = {m.address()}, .send_hz = 20}, false, {});
  ASSERT_TRUE(consumer.ok());
  ASSERT_TRUE(GiveHeader(**consumer, MarionetteHeader(kJoints, {"jawOpen"})).ok());
  for (int k = 0; k < 120; ++k) {
    ASSERT_TRUE(Give(**consumer, MarionetteFrame(k / 60.0), 100 + k / 60.0).ok());
    m.Hear();
  }
  EXPECT_NEAR(m.frames, 40, 2);
  EXPECT_EQ((*consumer)->counts().left_out, 120u - static_cast<uint64_t>(m.frames));
}

TEST(VmcConsumer, ReceiversAreToldWhenNothingComes) {
  Marionette m;
  auto consumer = VmcConsumer::Create({.to = {m.address()}}, false, {});
  ASSERT_TRUE(consumer.ok());
  ASSERT_TRUE(GiveHeader(**consumer, MarionetteHeader(kJoints, {"jawOpen"})).ok());
  ASSERT_TRUE(Give(**consumer, MarionetteFrame(0), 100).ok());
  ASSERT_TRUE((*consumer)->Tick(100.5).ok());
  m.Hear();
  EXPECT_TRUE(m.performer.loaded());
  ASSERT_TRUE((*consumer)->Tick(101.5).ok());
  m.Hear();
  EXPECT_FALSE(m.performer.loaded());
  ASSERT_TRUE(Give(**consumer, MarionetteFrame(2), 102).ok());
  m.Hear();
  EXPECT_TRUE(m.performer.loaded());
  ASSERT_TRUE((*consumer)->Close().ok());
  m.Hear();
  EXPECT_FALSE(m.performer.loaded());
}

// A frame with messages of VMC in its metadata.
Message WithExtras(Message frame, const std::vector<vmc::Message>& extras) {
  vmc::DatagramPacker packer;
  for (const vmc::Message& m : extras) EXPECT_TRUE(packer.Add(m).ok());
  auto& metadata = *frame.mutable_animation_data()->mutable_metadata();
  uint64_t n = 0;
  for (const std::string& bundle : packer.Datagrams()) {
    const wire::MetadataEntry entry = wire::VmcEntry("a", n++, bundle);
    EXPECT_TRUE(metadata[entry.key].ParseFromString(entry.any));
  }
  return frame;
}

TEST(VmcConsumer, WhatThePerformerOfTheStreamSaidIsSentOn) {
  Marionette m;
  auto consumer = VmcConsumer::Create({.to = {m.address()}}, false, {});
  ASSERT_TRUE(consumer.ok()) << consumer.status();
  ASSERT_TRUE(GiveHeader(**consumer, MarionetteHeader(kJoints, {"jawOpen"})).ok());
  const vmc::DevicePose tracker{vmc::DeviceKind::kTracker, false, "waist", {}};
  const std::vector<vmc::Message> extras = {
      tracker, vmc::Ok{1, 2, 1, 0}, vmc::VrmFile{"//evil/share/a.vrm", "Anna", std::nullopt},
      vmc::BackgroundColor{{0, 1, 0, 1}}};
  ASSERT_TRUE(Give(**consumer, WithExtras(MarionetteFrame(0), extras), 100).ok());
  m.Hear();
  EXPECT_EQ(m.frames, 1);
  EXPECT_EQ(m.performer.ok()->calibration_state, 2);
  EXPECT_EQ(m.performer.ok()->tracking_status, 0);
  EXPECT_EQ(m.performer.model_title(), "Anna");
  EXPECT_EQ(m.vrm_path, "a.vrm");
  ASSERT_EQ(m.performer.devices().size(), 1u) << "no virtual trackers next to real ones";
  EXPECT_EQ(m.performer.devices()[0].serial, "waist");
  // The virtual trackers return a second after the last real one.
  for (int k = 1; k < 40; ++k) {
    ASSERT_TRUE(Give(**consumer, MarionetteFrame(k / 30.0), 100 + k / 30.0).ok());
  }
  m.Hear();
  EXPECT_EQ(m.performer.devices().size(), 7u);
  EXPECT_EQ(m.performer.model_title(), "Anna");
  // What the performer said about themselves and their model ends with them.
  for (int k = 0; k < 240; ++k) {
    ASSERT_TRUE(Give(**consumer, MarionetteFrame(2 + k / 30.0), 102 + k / 30.0).ok());
  }
  m.Hear();
  EXPECT_EQ(m.performer.ok()->calibration_state, 3);
  EXPECT_EQ(m.performer.model_title(), "Posewire");
}

TEST(VmcConsumer, AnAssistantSendsNoBody) {
  Marionette m;
  auto consumer = VmcConsumer::Create({.to = {m.address()}, .assistant = true}, false, {});
  ASSERT_TRUE(consumer.ok()) << consumer.status();
  ASSERT_TRUE(GiveHeader(**consumer, MarionetteHeader(kJoints, {"jawOpen"})).ok());
  const auto frame =
      WithExtras(MarionetteFrame(0), {vmc::Key{1, "A", 65}, vmc::MidiValue{1, 0.5f}});
  ASSERT_TRUE(Give(**consumer, frame, 100).ok());
  m.Hear();
  EXPECT_EQ(m.frames + m.bones, 0);
  EXPECT_NEAR(m.performer.arkit()[vmc::kJawOpen], 0.5, 1e-6);
  EXPECT_TRUE(m.performer.eye_target().has_value());
  EXPECT_TRUE(m.performer.eye_target()->enabled);
  EXPECT_EQ(m.keys, 0) << "no assistant may send keys";
  EXPECT_EQ(m.knobs, 1);
  // At the end, the performer's own face and gaze return.
  ASSERT_TRUE((*consumer)->Close().ok());
  m.Hear();
  EXPECT_EQ(m.frames + m.bones, 0);
  EXPECT_EQ(m.performer.arkit()[vmc::kJawOpen], 0);
  EXPECT_FALSE(m.performer.eye_target()->enabled);
}

TEST(VmcConsumer, ACameraIsTurnedToUnitysWay) {
  Marionette m;
  auto consumer = VmcConsumer::Create({.to = {m.address()}}, false, {});
  ASSERT_TRUE(consumer.ok());
  ASSERT_TRUE(GiveHeader(**consumer, MarionetteHeader(kJoints, {"jawOpen"})).ok());
  Message frame = MarionetteFrame(0);
  auto* camera = frame.mutable_animation_data()->mutable_camera();
  // In front of the avatar, looking along the stream's -Z at it.
  camera->add_position()->mutable_value()->set_z(3);
  camera->add_rotation()->mutable_value()->set_real(1);
  camera->add_focal_length()->set_value(50);
  ASSERT_TRUE(Give(**consumer, frame, 100).ok());
  m.Hear();
  ASSERT_TRUE(m.performer.camera().has_value());
  EXPECT_NEAR(m.performer.camera()->fov_deg, 27, 0.1);
  EXPECT_NEAR(m.performer.camera()->pose.at.z, 3, 1e-6);
  // VMC's camera looks along its own Z.
  EXPECT_NEAR(skel::Rotate(m.performer.camera()->pose.turn, {0, 0, 1}).z, -1, 1e-5);
}

TEST(VmcConsumer, AHeaderThatCannotBeUsedBehindAGoodOneEndsNothing) {
  Marionette marionette;
  auto consumer = VmcConsumer::Create({.to = {marionette.address()}}, false, {});
  ASSERT_TRUE(consumer.ok());
  const auto frame = [&](double at_s) {
    ASSERT_TRUE(Give(**consumer, MarionetteFrame(at_s), at_s).ok());
  };
  ASSERT_TRUE(GiveHeader(**consumer, MarionetteHeader(kJoints, {"jawOpen"})).ok());
  frame(0);
  frame(1);
  marionette.Hear();
  const int good = marionette.frames;
  EXPECT_GT(good, 0);
  ASSERT_TRUE(GiveHeader(**consumer, MarionetteHeader({"bone_1", "bone_2"}, {})).ok());
  frame(2);
  EXPECT_EQ(marionette.Hear(), 0);
  ASSERT_TRUE(GiveHeader(**consumer, MarionetteHeader(kJoints, {"jawOpen"})).ok());
  frame(3);
  marionette.Hear();
  EXPECT_GT(marionette.frames, good);
}

TEST(VmcConsumer, WhatCannotBeIsRejected) {
  EXPECT_EQ(VmcConsumer::Create({.to = {"nowhere"}}, false, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(VmcConsumer::Create({.missing_bones = {"Tail"}}, false, {}).status().message(),
              HasSubstr("\"Tail\" is no bone of Unity's HumanBodyBones"));
  EXPECT_THAT(VmcConsumer::Create({.missing_bones = {"LeftThumb"}}, false, {}).status().message(),
              HasSubstr("did you mean LeftThumbDistal, LeftThumbProximal"));
  EXPECT_EQ(VmcConsumer::Create({.performer = "0", .performer_host = "0.0.0.0"}, false, {})
                .status()
                .code(),
            absl::StatusCode::kFailedPrecondition);
  auto consumer = VmcConsumer::Create({}, false, {});
  ASSERT_TRUE(consumer.ok());
  const absl::Status status = GiveHeader(**consumer, MarionetteHeader({"bone_1", "bone_2"}, {}));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("--rig vrm"));
}

}  // namespace
}  // namespace posewire::renderer_sink
