// Poses of the standard rig through VMC and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/support/allocation_count.h"
#include "tests/unit/skel/random_pose.h"
#include "tests/unit/vmc/osc_bytes.h"
#include "tests/unit/vmc/scene.h"

namespace posewire::vmc {
namespace {

constexpr float kWithin = 1e-5f;

class RoundTrip : public ::testing::Test {
 protected:
  RoundTrip()
      : rig_(RigOf("hanim_loa3")),
        writer_(WriterFor("hanim_loa3", WriterSettings())),
        reader_(ReaderFor("hanim_loa3", ReaderSettings())),
        out_(rig_->joints(), rig_->shapes()) {
    const auto map = *skel::RigMap::Make(RigOf("vrm"), rig_);
    for (int j = 0; j < rig_->joints(); ++j) told_.push_back(false);
    skel::Pose vrm(map.from()->joints(), map.from()->shapes());
    for (int j = 0; j < vrm.joints(); ++j) {
      skel::Pose one(vrm.joints(), vrm.shapes()), moved(rig_->joints(), rig_->shapes());
      one.span().SetRotation(j, {kHalfRoot, kHalfRoot, 0, 0});
      map.Apply(one.view(), moved.span());
      for (int k = 0; k < rig_->joints(); ++k) {
        const skel::Quat rest = rig_->rest().rotation(k);
        if (moved.view().has_r[k] && AngleBetween(moved.view().rotation(k), rest) > 0.1f) {
          told_[static_cast<size_t>(k)] = true;
        }
      }
    }
  }

  static PoseWriterSettings WriterSettings() {
    PoseWriterSettings settings;
    settings.clamp_weights = false;
    return settings;
  }
  static PoseReaderSettings ReaderSettings() {
    PoseReaderSettings settings;
    settings.face_bones = PoseReaderSettings::FaceBones::kAlways;
    return settings;
  }

  // At random; joints that no bone stands for are at rest when asked.
  skel::Pose RandomPose(bool only_told) {
    skel::Pose pose(rig_->joints(), rig_->shapes());
    pose.span().CopyFrom(rig_->rest());
    for (int j = 0; j < rig_->joints(); ++j) {
      if (!only_told || told_[static_cast<size_t>(j)]) {
        pose.span().SetRotation(j, random_.Rotation());
      }
    }
    pose.span().SetTranslation(0, rig_->rest().translation(0) + random_.Vector(2));
    for (int s = 0; s < rig_->shapes(); ++s) pose.span().SetWeight(s, random_.Number(-0.2f, 1.2f));
    return pose;
  }

  // Through datagrams, which come in this order.
  void Pass(const skel::Pose& pose, bool shuffled) {
    packer_.Clear();
    ASSERT_TRUE(writer_.Write(pose.view(), {}, packer_).ok());
    std::vector<std::string> datagrams(packer_.Datagrams().begin(), packer_.Datagrams().end());
    if (shuffled) {
      // Apply stays behind the values.
      std::shuffle(datagrams.begin(), datagrams.end() - 2, order_);
    }
    for (const std::string& datagram : datagrams) {
      datagram_reader_.Read(datagram, [&](const Message& m) { performer_.Take(m, 0); });
    }
    reader_.Write(performer_, out_.span());
  }

  std::shared_ptr<const skel::Rig> rig_;
  std::vector<bool> told_;  // which joints a bone stands for
  PoseWriter writer_;
  PoseReader reader_;
  DatagramReader datagram_reader_;
  DatagramPacker packer_;
  Performer performer_;
  skel::Pose out_;
  skel::RandomPoses random_{31};
  std::mt19937 order_{32};
};

TEST_F(RoundTrip, PosesOfTheBonesComeBack) {
  EXPECT_EQ(std::count(told_.begin(), told_.end(), true), kBones);
  for (int i = 0; i < 100; ++i) {
    const skel::Pose pose = RandomPose(true);
    Pass(pose, false);
    for (int j = 0; j < rig_->joints(); ++j) {
      const std::string& name = rig_->joint_names()[static_cast<size_t>(j)];
      if (!out_.view().has_r[j]) {
        EXPECT_FALSE(told_[static_cast<size_t>(j)]) << name;
        continue;
      }
      SCOPED_TRACE(name);
      ExpectTurn(out_.view().rotation(j), pose.view().rotation(j), kWithin);
    }
    ExpectPlace(out_.view().translation(0), pose.view().translation(0), kWithin);
    for (int s = 0; s < rig_->shapes(); ++s) {
      ASSERT_NEAR(out_.view().weights[s], pose.view().weights[s], kWithin) << s;
    }
  }
  EXPECT_EQ(datagram_reader_.counts().rejected_in_all(), 0u);
}

// Joints that VMC has no bone for pass their turn on to those below.
TEST_F(RoundTrip, AllPosesTurnTheBodyAlike) {
  for (int i = 0; i < 100; ++i) {
    const skel::Pose pose = RandomPose(false);
    Pass(pose, true);
    const ModelPose before = ModelOf(*rig_, pose.view()), after = ModelOf(*rig_, out_.view());
    for (int j = 0; j < rig_->joints(); ++j) {
      if (!told_[static_cast<size_t>(j)]) continue;
      SCOPED_TRACE(rig_->joint_names()[static_cast<size_t>(j)]);
      ExpectTurn(after.turn[static_cast<size_t>(j)], before.turn[static_cast<size_t>(j)], kWithin);
    }
  }
}

// Senders differ in how they bundle: the pose does not.
TEST_F(RoundTrip, EveryStyleOfBundlesGivesTheSamePose) {
  const skel::Pose pose = RandomPose(false);
  Pass(pose, false);
  const skel::Pose expected = out_;
  std::vector<std::string> singles;
  for (const Message& message : MessagesOf(packer_)) singles.push_back(*EncodeMessage(message));
  const auto middle = singles.begin() + 13;
  // After thirteen elements the rest goes into a bundle of its own within the first.
  std::vector<std::string> nested(singles.begin(), middle);
  nested.push_back(OscBundle({middle, singles.end()}));
  std::vector<std::string> turned(singles.rbegin(), singles.rend());
  std::rotate(turned.begin(), turned.begin() + 1, turned.end());  // Apply stays last

  const std::vector<std::vector<std::string>> styles = {
      singles, {OscBundle(singles)}, {OscBundle(nested)}, {OscBundle({OscBundle(turned, 77)}, 5)}};
  for (const std::vector<std::string>& datagrams : styles) {
    performer_.Reset();
    out_.span().ClearPresence();
    for (const std::string& datagram : datagrams) {
      datagram_reader_.Read(datagram, [&](const Message& m) { performer_.Take(m, 0); });
    }
    reader_.Write(performer_, out_.span());
    for (int j = 0; j < rig_->joints(); ++j) {
      ASSERT_EQ(out_.view().has_r[j], expected.view().has_r[j]);
      ASSERT_EQ(out_.view().has_t[j], expected.view().has_t[j]);
      if (!expected.view().has_r[j]) continue;
      ExpectTurn(out_.view().rotation(j), expected.view().rotation(j));
    }
    ExpectPlace(out_.view().translation(0), expected.view().translation(0));
    for (int s = 0; s < rig_->shapes(); ++s) {
      ASSERT_EQ(out_.view().weights[s], expected.view().weights[s]);
    }
  }
  EXPECT_EQ(datagram_reader_.counts().rejected_in_all(), 0u);
}

TEST_F(RoundTrip, OtherRigsMeetTheStandardRigThroughVmc) {
  for (const char* const name : {"hanim_loa1", "hanim_loa2", "hanim_loa4", "ace_biped", "vrm"}) {
    SCOPED_TRACE(name);
    const auto other = RigOf(name);
    PoseReader reader = ReaderFor(name, ReaderSettings());
    PoseWriter back = WriterFor(name, WriterSettings());
    const skel::Pose pose = RandomPose(true);
    Pass(pose, false);
    skel::Pose there(other->joints(), other->shapes());
    reader.Write(performer_, there.span());
    DatagramPacker packer;
    ASSERT_TRUE(back.Write(there.view(), {}, packer).ok());
    Performer again;
    for (const Message& message : MessagesOf(packer)) again.Take(message, 0);
    // Levels of articulation below the third lack fingers.
    for (int b = 0; b < kBones; ++b) {
      if (!again.bone(b).known || std::string(name) == "hanim_loa1") continue;
      if (std::string(name) == "hanim_loa2") break;
      SCOPED_TRACE(std::string(BoneNames()[static_cast<size_t>(b)]));
      ExpectTurn(again.bone(b).pose.turn, performer_.bone(b).pose.turn, kWithin);
    }
    EXPECT_TRUE(again.bone(kHead).known);
    ExpectPlace(again.bone(kHips).pose.at, performer_.bone(kHips).pose.at, 5e-5f);
  }
}

TEST_F(RoundTrip, TakesNoMemoryOnceItRuns) {
  const skel::Pose pose = RandomPose(false);
  Pass(pose, false);
  const AllocationCount allocations;
  for (int i = 0; i < 10; ++i) {
    packer_.Clear();
    if (!writer_.Write(pose.view(), {}, packer_).ok()) FAIL();
    for (const std::string& datagram : packer_.Datagrams()) {
      datagram_reader_.Read(datagram, [&](const Message& m) { performer_.Take(m, 0); });
    }
    reader_.Write(performer_, out_.span());
  }
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace posewire::vmc
