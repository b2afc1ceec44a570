#include "libs/livelink/face_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "libs/skel/humanoid.h"
#include "tests/support/allocation_count.h"

namespace posewire::livelink {
namespace {

using skel::HumanBone;
using ::testing::HasSubstr;

std::shared_ptr<const skel::Rig> RigNamed(absl::string_view name) {
  return *skel::RigCatalog::Builtin()->Find(name);
}

TEST(LivelinkAngles, YawTurnsRightPitchLooksDownAndRollLeansLeft) {
  const skel::Vec3 right = skel::Rotate(TurnOf({skel::kPi / 2, 0, 0}), {0, 0, 1});
  EXPECT_NEAR(right.x, -1, 1e-6) << "X is the person's left";
  const skel::Vec3 down = skel::Rotate(TurnOf({0, skel::kPi / 2, 0}), {0, 0, 1});
  EXPECT_NEAR(down.y, -1, 1e-6);
  const skel::Vec3 left_ear = skel::Rotate(TurnOf({0, 0, skel::kPi / 2}), {1, 0, 0});
  EXPECT_NEAR(left_ear.y, -1, 1e-6);
}

TEST(LivelinkAngles, YawIsAppliedLast) {
  // Turned to the right, the head still nods about its own axis.
  const skel::Vec3 front = skel::Rotate(TurnOf({skel::kPi / 2, skel::kPi / 6, 0}), {0, 0, 1});
  EXPECT_NEAR(front.x, -std::cos(skel::kPi / 6), 1e-6);
  EXPECT_NEAR(front.y, -0.5, 1e-6);
  EXPECT_NEAR(front.z, 0, 1e-6);
}

TEST(LivelinkAngles, RandomAnglesComeBack) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<float> wide(-3.1f, 3.1f), half(-1.5f, 1.5f);
  for (int n = 0; n < 1000; ++n) {
    const Angles want = {wide(random), half(random), wide(random)};
    const Angles got = AnglesOf(TurnOf(want));
    EXPECT_NEAR(got.yaw, want.yaw, 1e-3);
    EXPECT_NEAR(got.pitch, want.pitch, 1e-3);
    EXPECT_NEAR(got.roll, want.roll, 1e-3);
  }
}

TEST(LivelinkAngles, StraightDownIsTheSameRotationAgain) {
  for (const float pitch : {-skel::kPi / 2, skel::kPi / 2}) {
    const skel::Quat turn = TurnOf({0.5f, pitch, 0.2f});
    EXPECT_NEAR(skel::AngleBetween(TurnOf(AnglesOf(turn)), turn), 0, 2e-3);
  }
}

TEST(LivelinkAngles, FactorsAreThreeNumbers) {
  EXPECT_EQ(ParseFactors("-1,0.5,0")->pitch, 0.5f);
  for (const char* text : {"", "1", "1,1", "1,1,1,1", "1,x,1", "1,1,nan", "11,0,0"}) {
    EXPECT_THAT(std::string(ParseFactors(text).status().message()), HasSubstr("YAW,PITCH,ROLL"))
        << text;
  }
}

class FaceWriterTest : public ::testing::Test {
 protected:
  explicit FaceWriterTest(const FaceWriterSettings& settings = {})
      : writer_(*FaceWriter::Make(RigNamed("vrm"), rig_, settings)) {
    pose_.span().ClearPresence();
  }
  void Weight(absl::string_view shape, float weight) {
    pose_.span().SetWeight(rig_->FindShape(shape), weight);
  }
  void Turn(HumanBone bone, skel::Quat turn) {
    const int joint = rig_->humanoid().joint(bone);
    ASSERT_GE(joint, 0);
    pose_.span().SetRotation(joint, skel::Mul(turn, rig_->rest().rotation(joint)));
  }
  void Write() { ASSERT_TRUE(writer_.Write(pose_.view(), curves_).ok()); }
  float Curve(absl::string_view name) const {
    for (int c = 0; c < kCurves; ++c) {
      if (CurveName(c) == name) return curves_[static_cast<size_t>(c)];
    }
    ADD_FAILURE() << "no curve " << name;
    return 0;
  }

  std::shared_ptr<const skel::Rig> rig_ = RigNamed("hanim_loa3");
  FaceWriter writer_;
  skel::Pose pose_{rig_->joints(), rig_->shapes()};
  std::array<float, kCurves> curves_{};
};

TEST_F(FaceWriterTest, MouthCloseIsApples) {
  Weight("jawOpen", 0.1f);
  Weight("mouthClose", 0.4f);
  Weight("mouthSmileLeft", 0.3f);
  Write();
  EXPECT_FLOAT_EQ(Curve("JawOpen"), 0.5f);
  EXPECT_FLOAT_EQ(Curve("MouthClose"), 0.4f);
  EXPECT_FLOAT_EQ(Curve("MouthSmileLeft"), 0.3f);
  EXPECT_EQ(Curve("HeadYaw"), 0);
}

TEST_F(FaceWriterTest, WeightsAreClampedAndKeptUntilTheNext) {
  Weight("browInnerUp", 1.7f);
  Weight("cheekPuff", -0.2f);
  Write();
  EXPECT_EQ(Curve("BrowInnerUp"), 1);
  EXPECT_EQ(Curve("CheekPuff"), 0);
  pose_.span().ClearPresence();
  Write();
  EXPECT_EQ(Curve("BrowInnerUp"), 1);
}

TEST_F(FaceWriterTest, TheHeadsAnglesAreThoseOfNeckAndHeadTogether) {
  Turn(HumanBone::kNeck, TurnOf({0.2f, 0, 0}));
  Turn(HumanBone::kHead, TurnOf({0.3f, 0, 0}));
  Write();
  EXPECT_NEAR(Curve("HeadYaw"), 0.5f, 1e-5);
  Turn(HumanBone::kNeck, {});
  Turn(HumanBone::kHead, TurnOf({-0.4f, 0.3f, 0.2f}));
  Write();
  EXPECT_NEAR(Curve("HeadYaw"), -0.4f, 1e-5);
  EXPECT_NEAR(Curve("HeadPitch"), 0.3f, 1e-5);
  EXPECT_NEAR(Curve("HeadRoll"), 0.2f, 1e-5);
}

TEST_F(FaceWriterTest, ABodyThatTurnsDoesNotTurnTheHead) {
  Turn(HumanBone::kHips, TurnOf({1, 0, 0}));
  Turn(HumanBone::kHead, {});
  Write();
  EXPECT_NEAR(Curve("HeadYaw"), 0, 1e-5);
}

TEST_F(FaceWriterTest, EyesThatLookByTheirShapesHaveTheAnglesToo) {
  Weight("eyeLookOutLeft", 1);
  Weight("eyeLookInRight", 1);
  Weight("eyeLookUpLeft", 0.5f);
  Write();
  EXPECT_EQ(Curve("EyeLookOutLeft"), 1);
  EXPECT_NEAR(Curve("LeftEyeYaw"), -35 * skel::kDeg, 1e-5);
  EXPECT_NEAR(Curve("RightEyeYaw"), -35 * skel::kDeg, 1e-5);
  EXPECT_NEAR(Curve("LeftEyePitch"), -15 * skel::kDeg, 1e-5);
  EXPECT_NEAR(Curve("RightEyePitch"), 0, 1e-5);
}

TEST_F(FaceWriterTest, EyesThatAreTurnedByJointsMoveTheShapes) {
  Turn(HumanBone::kLeftEye, TurnOf({17.5f * skel::kDeg, 15 * skel::kDeg, 0}));
  Turn(HumanBone::kRightEye, TurnOf({17.5f * skel::kDeg, 15 * skel::kDeg, 0}));
  Write();
  EXPECT_NEAR(Curve("EyeLookInLeft"), 0.5f, 1e-4);
  EXPECT_NEAR(Curve("EyeLookOutRight"), 0.5f, 1e-4);
  EXPECT_NEAR(Curve("EyeLookDownLeft"), 0.5f, 1e-4);
  EXPECT_EQ(Curve("EyeLookOutLeft"), 0);
  EXPECT_NEAR(Curve("RightEyeYaw"), 17.5f * skel::kDeg, 1e-5);
}

TEST_F(FaceWriterTest, RefusesAPoseOfAnotherSize) {
  skel::Pose other(1, 1);
  other.span().ClearPresence();
  const absl::Status status = writer_.Write(other.view(), curves_);
  EXPECT_THAT(std::string(status.message()), HasSubstr("pose of 1 joints and 1 shapes"));
}

TEST_F(FaceWriterTest, WritingAllocatesNothing) {
  Turn(HumanBone::kHead, TurnOf({0.3f, 0, 0}));
  Weight("jawOpen", 0.1f);
  Write();
  const AllocationCount count;
  Write();
  EXPECT_EQ(count.count(), 0);
}

class ReversedHead : public FaceWriterTest {
 protected:
  ReversedHead() : FaceWriterTest({.mouth_close_jaw = 0, .head = {-1, 0.5f, 0}}) {}
};

TEST_F(ReversedHead, FactorsTurnTheHeadTheOtherWay) {
  Turn(HumanBone::kHead, TurnOf({-0.4f, 0.3f, 0.2f}));
  Weight("jawOpen", 0.1f);
  Weight("mouthClose", 0.4f);
  Write();
  EXPECT_NEAR(Curve("HeadYaw"), 0.4f, 1e-5);
  EXPECT_NEAR(Curve("HeadPitch"), 0.15f, 1e-5);
  EXPECT_EQ(Curve("HeadRoll"), 0);
  EXPECT_FLOAT_EQ(Curve("JawOpen"), 0.1f);
}

TEST(LivelinkFaceWriter, SettingsMustBeFinite) {
  const auto made =
      FaceWriter::Make(RigNamed("vrm"), RigNamed("hanim_loa3"), {.mouth_close_jaw = NAN});
  EXPECT_FALSE(made.ok());
  EXPECT_FALSE(FaceWriter::Make(nullptr, RigNamed("vrm"), {}).ok());
}

}  // namespace
}  // namespace posewire::livelink
