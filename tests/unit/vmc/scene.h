// Performers, rigs and the way between them, for the tests.
#ifndef POSEWIRE_TESTS_UNIT_VMC_SCENE_H_
#define POSEWIRE_TESTS_UNIT_VMC_SCENE_H_

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/skel/local_to_model_job.h"
#include "libs/skel/rig.h"
#include "libs/vmc/datagram_packer.h"
#include "libs/vmc/datagram_reader.h"
#include "libs/vmc/performer.h"
#include "libs/vmc/pose_reader.h"
#include "libs/vmc/pose_writer.h"

namespace posewire::vmc {

inline const float kHalfRoot = std::sqrt(0.5f);
inline constexpr float kHalfPi = 1.57079632679490f;

inline std::shared_ptr<const skel::Rig> RigOf(absl::string_view name) {
  return *skel::RigCatalog::Builtin()->Find(name);
}

inline PoseReader ReaderFor(absl::string_view rig, PoseReaderSettings settings = {}) {
  auto reader = PoseReader::Make(RigOf("vrm"), RigOf(rig), settings);
  EXPECT_TRUE(reader.ok()) << reader.status();
  return *std::move(reader);
}
inline PoseWriter WriterFor(absl::string_view rig, PoseWriterSettings settings = {}) {
  auto writer = PoseWriter::Make(RigOf("vrm"), RigOf(rig), settings);
  EXPECT_TRUE(writer.ok()) << writer.status();
  return *std::move(writer);
}

// A bone as it is on the wire: Unity's space, the real part of the quaternion last.
inline Message BoneMessage(absl::string_view name, skel::Vec3 at, std::array<float, 4> xyzw) {
  return BonePose{name, {at, {xyzw[3], xyzw[0], xyzw[1], xyzw[2]}}};
}
inline Message BoneTurned(absl::string_view name, std::array<float, 4> xyzw) {
  return BoneMessage(name, {}, xyzw);
}
inline Message Turned(absl::string_view name, skel::Quat ours) {
  return BonePose{name, {{}, MirrorX(ours)}};
}

// What a rig makes of messages.
inline skel::Pose PoseOf(const std::vector<Message>& messages, absl::string_view rig = "hanim_loa3",
                         PoseReaderSettings settings = {}) {
  Performer performer;
  for (const Message& message : messages) performer.Take(message, 0);
  PoseReader reader = ReaderFor(rig, settings);
  const auto target = RigOf(rig);
  skel::Pose out(target->joints(), target->shapes());
  reader.Write(performer, out.span());
  return out;
}

inline skel::Quat RotationOf(const skel::Pose& pose, absl::string_view joint,
                             absl::string_view rig = "hanim_loa3") {
  const int j = RigOf(rig)->FindJoint(joint);
  EXPECT_EQ(pose.view().has_r[j], 1) << joint;
  return pose.view().rotation(j);
}

inline void ExpectTurn(skel::Quat actual, skel::Quat expected, float within = 1e-6f) {
  EXPECT_LE(skel::AngleBetween(actual, expected), within)
      << actual.w << " " << actual.x << " " << actual.y << " " << actual.z << ", not " << expected.w
      << " " << expected.x << " " << expected.y << " " << expected.z;
}
inline void ExpectPlace(skel::Vec3 actual, skel::Vec3 expected, float within = 1e-6f) {
  EXPECT_LE(skel::Length(actual - expected), within)
      << actual.x << " " << actual.y << " " << actual.z << ", not " << expected.x << " "
      << expected.y << " " << expected.z;
}

// All messages of what a packer holds, in their order; text points into the packer.
inline std::vector<Message> MessagesOf(const DatagramPacker& packer) {
  std::vector<Message> out;
  DatagramReader reader;
  for (const std::string& datagram : packer.Datagrams()) {
    reader.Read(datagram, [&](const Message& message) { out.push_back(message); });
  }
  EXPECT_EQ(reader.counts().rejected_in_all() + reader.counts().unknown, 0u)
      << reader.LastRejection();
  return out;
}

template <typename M>
std::vector<M> Only(const std::vector<Message>& messages) {
  std::vector<M> out;
  for (const Message& message : messages) {
    if (const auto* const m = std::get_if<M>(&message)) out.push_back(*m);
  }
  return out;
}

struct ModelPose {
  std::vector<skel::Vec3> at;
  std::vector<skel::Quat> turn;
};
inline ModelPose ModelOf(const skel::Rig& rig, const skel::PoseView& pose) {
  const auto n = static_cast<size_t>(rig.joints());
  ModelPose out{std::vector<skel::Vec3>(n), std::vector<skel::Quat>(n)};
  skel::LocalToModelJob job;
  job.rig = &rig;
  job.local = pose;
  job.positions = absl::MakeSpan(out.at);
  job.rotations = absl::MakeSpan(out.turn);
  EXPECT_TRUE(job.Run());
  return out;
}

}  // namespace posewire::vmc

#endif  // POSEWIRE_TESTS_UNIT_VMC_SCENE_H_
