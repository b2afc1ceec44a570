#include "libs/wire/sparse_pose.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "libs/skel/rig.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/frame_writer.h"
#include "libs/wire/message.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::wire {
namespace {

// A sender and a receiver of sparse frames of the standard rig.
class SparsePoseTest : public testing::Test {
 protected:
  SparsePoseTest() {
    pose.span().CopyFrom(rig->rest());
    StreamHeader header;
    header.ids.stream_id = "s";
    header.joints.assign(rig->joint_paths().begin(), rig->joint_paths().end());
    header.shapes.assign(rig->shape_names().begin(), rig->shape_names().end());
    Read(EncodeHeader(header));
  }

  EncodedFrame Write(bool complete = false) {
    OutputFrame frame;
    frame.time_code_s = ++tick / 30.0;
    const PoseChanges& changes = kept.Update(pose.view(), complete);
    frame.pose = kept.pose();
    return complete ? writer.Write(frame) : writer.WriteSparse(frame, changes);
  }
  DataChunk Read(const EncodedFrame& frame) {
    std::string bytes;
    for (const auto& slice : frame.Whole()) bytes.append(slice.begin(), slice.end());
    absl::StatusOr<Chunk> chunk = ReadBytes(reader, bytes);
    EXPECT_TRUE(chunk.ok()) << chunk.status();
    auto* const data = chunk.ok() ? std::get_if<DataChunk>(&*chunk) : nullptr;
    if (data == nullptr) return {};
    completer.Complete(data);
    return std::move(*data);
  }
  static float At(const DataChunk& frame, PoseTrack track, size_t value) {
    return frame.pose[track].values.at(value);
  }

  const std::shared_ptr<const skel::Rig> rig = *skel::RigCatalog::Builtin()->Find("hanim_loa3");
  skel::Pose pose{rig->joints(), rig->shapes()};
  SparsePose kept{*rig};
  FrameWriter writer{rig->joints(), rig->shapes()};
  FrameReader reader{ClientLimits()};
  PoseCompleter completer;
  int tick = 0;
};

TEST_F(SparsePoseTest, APoseThatRestsTakesTwoBytesAJoint) {
  const EncodedFrame whole = Write(true), same = Write();
  EXPECT_FALSE(whole.is_sparse());
  EXPECT_TRUE(same.is_sparse());
  EXPECT_GT(whole.size(), 5000u);
  EXPECT_LT(same.size(), 2 * static_cast<size_t>(rig->joints()) + 30);
  const DataChunk first = Read(whole), second = Read(same);
  for (size_t track = 0; track < kPoseTracks; ++track) {
    EXPECT_EQ(first.pose[track].values, second.pose[track].values) << track;
    EXPECT_EQ(second.pose[track].time_codes_s, std::vector<double>{2 / 30.0}) << track;
  }
}

TEST_F(SparsePoseTest, IdentityAndZeroAreValuesToo) {
  const skel::PoseSpan& p = pose.span();
  p.SetRotation(3, {0, 1, 0, 0});
  p.SetTranslation(3, {1, 2, 3});
  Read(Write(true));
  p.SetRotation(3, {1, 0, 0, 0});
  p.SetTranslation(3, {0, 0, 0});
  p.SetScale(4, {0, 0, 0});
  const DataChunk frame = Read(Write());
  EXPECT_EQ(At(frame, kRotations, 4 * 3), 1);
  EXPECT_EQ(At(frame, kRotations, 4 * 3 + 1), 0);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(At(frame, kTranslations, 9 + i), 0, 1e-6);
    EXPECT_NEAR(At(frame, kScales, 12 + i), 0, 1e-6);
  }
}

TEST_F(SparsePoseTest, SmallChangesAddUpUntilTheyAreSent) {
  Read(Write(true));
  float shown = 0;
  int sent = 0;
  for (int i = 1; i <= 100; ++i) {
    pose.span().SetTranslation(0, {1 + 3e-5f * static_cast<float>(i), 0, 0});
    const DataChunk frame = Read(Write());
    sent += At(frame, kTranslations, 0) != shown;
    shown = At(frame, kTranslations, 0);
    EXPECT_NEAR(shown, pose.view().tx[0], kMoved_m);
  }
  EXPECT_GT(sent, 10);
  EXPECT_LT(sent, 20);
}

TEST_F(SparsePoseTest, AFrameThatBuildsOnALostOneLosesItsPose) {
  EXPECT_FALSE(HasPose(Read(Write())));
  EXPECT_TRUE(HasPose(Read(Write(true))));
  EXPECT_TRUE(HasPose(Read(Write())));
  completer.Reset();
  EXPECT_FALSE(HasPose(Read(Write())));
}

TEST_F(SparsePoseTest, AllocatesOnlyWhenItIsMade) {
  std::mt19937 rng(1);
  std::normal_distribution<float> real;
  DataChunk warm = Read(Write(true));
  const AllocationCount allocations;
  for (int i = 0; i < 50; ++i) {
    for (int j = 0; j < rig->joints(); ++j) {
      if (rng() % 3 == 0) pose.span().SetTranslation(j, {real(rng), real(rng), 0});
    }
    Write(i % 10 == 0);
  }
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace posewire::wire
