#include "libs/wire/sparse_pose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
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
    completer.Begin(header);
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
  SparsePose kept{*rig, PoseForm::kSparse};
  FrameWriter writer{rig->joints(), rig->shapes()};
  FrameReader reader{ClientLimits()};
  PoseCompleter completer{PoseForm::kSparse};
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
  completer.Begin({});
  EXPECT_FALSE(HasPose(Read(Write())));
}

// A server could have clients read beyond the pose that they keep.
TEST_F(SparsePoseTest, AFrameWithSeveralKeysOfATrackLosesItsPose) {
  Read(Write(true));
  for (const size_t keys : {2, 1000}) {
    DataChunk frame = Read(Write());
    KeyBlock& turns = frame.pose[kRotations];
    const double first_s = turns.time_codes_s.at(0);
    turns.values.assign(keys * static_cast<size_t>(turns.width), 0);
    for (size_t i = 0; i < turns.values.size(); i += 4) turns.values[i] = 1;
    while (turns.time_codes_s.size() < keys) {
      turns.time_codes_s.push_back(first_s + 1e-6 * static_cast<double>(turns.time_codes_s.size()));
    }
    EXPECT_TRUE(completer.Complete(&frame));
    EXPECT_FALSE(HasPose(frame));
    EXPECT_FALSE(HasPose(Read(Write())));
    EXPECT_TRUE(HasPose(Read(Write(true))));
  }
}

TEST_F(SparsePoseTest, TheKeyOfQuantisedPosesMeansNothingInOtherStreams) {
  Read(Write(true));
  DataChunk frame = Read(Write());
  const MetadataEntry entry{std::string(kQuantisedPoseKey), "of a source"};
  frame.metadata.push_back(entry);
  completer.Complete(&frame);
  EXPECT_TRUE(HasPose(frame));
  ASSERT_EQ(frame.metadata.size(), 1u);
  EXPECT_EQ(frame.metadata[0].any, entry.any);
  EXPECT_TRUE(HasPose(Read(Write())));
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

class QuantisedPoseTest : public testing::Test {
 protected:
  static constexpr size_t kJoints = 11, kShapes = 9;
  QuantisedPoseTest() {
    for (size_t j = 0; j < kJoints; ++j) {
      const auto n = static_cast<float>(j);
      pose.span().SetTranslation(static_cast<int>(j), {n, 0, -n});
      pose.span().SetRotation(static_cast<int>(j), skel::FromAxisAngle({0, 1, 0}, n / 5));
      rotations.push_back(Quantise(pose.view().rotation(static_cast<int>(j))));
      pose.span().SetScale(static_cast<int>(j), {1, 1, 1});
    }
    pose.span().SetWeight(3, 0.5f);
    changes.shapes.resize(kShapes);
    for (auto& joints : changes.joints) joints.resize(kJoints);
    changes.joints[kTranslations][10] = changes.joints[kRotations][2] = changes.shapes[8] = 1;
    QuantisePose(0.5, pose.view(), rotations, nullptr, &whole);
    pose.span().SetWeight(8, 0.25f);
    QuantisePose(1.5, pose.view(), rotations, &changes, &sparse);
  }
  static bool Apply(const std::vector<uint8_t>& bytes, KeyBlock (&tracks)[kPoseTracks]) {
    return ApplyQuantised(bytes, kJoints, kShapes, tracks);
  }

  skel::Pose pose{kJoints, kShapes};
  std::vector<QuantisedRotation> rotations;
  PoseChanges changes;
  std::vector<uint8_t> whole, sparse;
};

TEST_F(QuantisedPoseTest, ReadsBackWithinItsStep) {
  KeyBlock tracks[kPoseTracks];
  ASSERT_TRUE(Apply(whole, tracks));
  EXPECT_EQ(tracks[kWeights].values.at(8), 0);
  ASSERT_TRUE(Apply(sparse, tracks));
  EXPECT_EQ(tracks[kWeights].values, std::vector<float>({0, 0, 0, 0.5f, 0, 0, 0, 0, 0.25f}));
  for (size_t j = 0; j < kJoints; ++j) {
    const skel::Quat q = pose.view().rotation(static_cast<int>(j));
    EXPECT_EQ(tracks[kTranslations].values.at(3 * j), static_cast<float>(j));
    EXPECT_EQ(tracks[kScales].values.at(3 * j + 2), 1);
    EXPECT_NEAR(tracks[kRotations].values.at(4 * j), q.w, 4e-5);
    EXPECT_NEAR(tracks[kRotations].values.at(4 * j + 2), q.y, 4e-5);
  }
  for (const KeyBlock& track : tracks) EXPECT_EQ(track.time_codes_s, std::vector<double>{1.5});
  EXPECT_LT(sparse.size(), 1 + 8 + 2 + 4 + 2 + 12 + 2 + 8 + 1u);
}

TEST_F(QuantisedPoseTest, NeedsACompletePoseFirst) {
  KeyBlock tracks[kPoseTracks];
  EXPECT_FALSE(Apply(sparse, tracks));
}

TEST_F(QuantisedPoseTest, RejectsBytesThatAreCutOffOrTooMany) {
  for (const auto& bytes : {whole, sparse}) {
    for (size_t n = 0; n < bytes.size(); ++n) {
      KeyBlock tracks[kPoseTracks];
      ASSERT_TRUE(Apply(whole, tracks));
      EXPECT_FALSE(Apply({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(n)}, tracks)) << n;
    }
    KeyBlock tracks[kPoseTracks];
    std::vector<uint8_t> more = bytes;
    more.push_back(0);
    EXPECT_FALSE(Apply(more, tracks));
  }
}

TEST_F(QuantisedPoseTest, NeverYieldsAValueThatIsNotFinite) {
  std::mt19937 rng(1);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<uint8_t> bytes = i % 2 == 0 ? whole : sparse;
    for (int n = 0; n < 3; ++n) bytes[rng() % bytes.size()] = static_cast<uint8_t>(rng());
    KeyBlock tracks[kPoseTracks];
    ASSERT_TRUE(Apply(whole, tracks));
    if (!Apply(bytes, tracks)) continue;
    ++accepted;
    for (const KeyBlock& track : tracks) {
      ASSERT_EQ(track.values.size(), static_cast<size_t>(track.width));
      for (const float value : track.values) ASSERT_LE(std::fabs(value), 1e9f);
    }
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace posewire::wire
