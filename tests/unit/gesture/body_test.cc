#include "libs/gesture/body.h"

#include <cmath>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/gesture/hand_shapes.h"
#include "libs/gesture/neutral_stance.h"
#include "libs/skel/rig.h"
#include "tests/unit/gesture/forward.h"

namespace posewire::gesture {
namespace {

using skel::Vec3;

class BodyTest : public testing::Test {
 protected:
  BodyTest()
      : rig_(*skel::RigCatalog::Builtin()->Find("hanim_loa3")),
        body_(*Body::Make(*rig_)),
        pose_(rig_->joints(), rig_->shapes()) {
    pose_.span().CopyFrom(rig_->rest());
  }
  Forward Now() { return Forward(*rig_, pose_.view(), rig_->rest()); }

  std::shared_ptr<const skel::Rig> rig_;
  Body body_;
  skel::Pose pose_;
};

Vec3 Outward(Side side, Vec3 v) { return side == Side::kLeft ? v : Vec3{-v.x, v.y, v.z}; }

TEST_F(BodyTest, RejectsARigWithArmsOutOrJointsMissing) {
  const auto catalog = *skel::RigCatalog::Builtin();
  EXPECT_THAT(std::string(Body::Make(**catalog.Find("ace_biped")).status().message()),
              testing::HasSubstr("arms down"));
  EXPECT_THAT(std::string(Body::Make(**catalog.Find("hanim_loa1")).status().message()),
              testing::HasSubstr("has no joint"));
}

TEST_F(BodyTest, ZeroAnglesAreTheRestPose) {
  for (Side side : {Side::kLeft, Side::kRight}) PoseArm(body_, side, ArmAngles{}, pose_.span());
  for (int j = 0; j < rig_->joints(); ++j) {
    EXPECT_LT(AngleBetween(pose_.view().rotation(j), {}), 1e-6f);
  }
}

TEST_F(BodyTest, AnglesTurnTheWayTheirNamesSay) {
  ArmAngles a{};
  a[kElbowFlex] = 1.4f;
  for (Side side : {Side::kLeft, Side::kRight}) {
    PoseArm(body_, side, a, pose_.span());
    const std::string p = side == Side::kLeft ? "l_" : "r_";
    Forward f = Now();
    EXPECT_GT((f.place(p + "wrist") - f.place(p + "elbow")).z, 0.2f);
    // The palm faces inward, and up once the forearm is turned the negative way.
    EXPECT_GT(Dot(f.Direction(p + "wrist", Outward(side, {-1, 0, 0})), Outward(side, {-1, 0, 0})),
              0.95f);
    ArmAngles b = a;
    b[kForearmTwist] = -1.4f;
    PoseArm(body_, side, b, pose_.span());
    EXPECT_GT(Now().Direction(p + "wrist", Outward(side, {-1, 0, 0})).y, 0.9f);
    b = a;
    b[kClavicleUp] = 0.4f;
    const float before = f.place(p + "shoulder").y;
    PoseArm(body_, side, b, pose_.span());
    EXPECT_GT(Now().place(p + "shoulder").y, before + 0.03f);
    b = a;
    SetHand(HandShape::kFist, b);
    PoseArm(body_, side, b, pose_.span());
    const Forward fist = Now();
    // Curled fingers end on the palm's side of the hand, near the knuckles.
    const Vec3 tip = fist.place(p + "middle3") - fist.place(p + "middle1");
    EXPECT_GT(Dot(tip, fist.Direction(p + "wrist", Outward(side, {-1, 0, 0}))), 0.02f);
  }
}

TEST_F(BodyTest, ReachPutsTheWristOnItsTargetAndBendsTheElbowTheHumanWay) {
  std::mt19937 rng(11);
  std::uniform_real_distribution<float> unit(-1, 1);
  int reached = 0;
  for (int round = 0; round < 2000; ++round) {
    const Side side = round % 2 == 0 ? Side::kLeft : Side::kRight;
    const std::string p = side == Side::kLeft ? "l_" : "r_";
    Reach reach;
    reach.wrist = {0.2f + 0.3f * unit(rng), 1.25f + 0.3f * unit(rng), 0.25f + 0.2f * unit(rng)};
    reach.fingers = {unit(rng), unit(rng), 1};
    reach.palm = {-1, unit(rng), unit(rng)};
    reach.clavicle_up = 0.15f * (1 + unit(rng));
    ArmAngles a{};
    SolveReach(body_, side, reach, a);
    EXPECT_GE(a[kElbowFlex] + body_.arm(side).rest_flex, 0);
    PoseArm(body_, side, a, pose_.span());
    const Forward f = Now();
    const Vec3 target = Outward(side, reach.wrist);
    const float d = Length(target - f.place(p + "shoulder"));
    if (d < 0.20f || d > 0.56f) continue;
    ++reached;
    EXPECT_LT(Length(f.place(p + "wrist") - target), 2e-3f) << round;
  }
  EXPECT_GT(reached, 800);
}

TEST_F(BodyTest, ReachTurnsTheHandWhereTheWristAllows) {
  for (Side side : {Side::kLeft, Side::kRight}) {
    const std::string p = side == Side::kLeft ? "l_" : "r_";
    Reach reach;
    reach.wrist = {0.25f, 1.25f, 0.35f};
    reach.fingers = {0, 0.2f, 1};
    reach.palm = {-1, 0, 0};
    ArmAngles a{};
    SolveReach(body_, side, reach, a);
    PoseArm(body_, side, a, pose_.span());
    const Forward f = Now();
    EXPECT_GT(Dot(f.Direction(p + "wrist", {0, -1, 0}), Normalized(Vec3{0, 0.2f, 1})), 0.995f);
    EXPECT_GT(Dot(f.Direction(p + "wrist", Outward(side, {-1, 0, 0})), Outward(side, {-1, 0, 0})),
              0.995f);
  }
}

TEST_F(BodyTest, ReachBeyondTheArmPointsAtTheTarget) {
  Reach reach;
  reach.wrist = {0.2f, 1.43f, 3};
  reach.fingers = {0, 0, 1};
  reach.palm = {-1, 0, 0};
  ArmAngles a{};
  SolveReach(body_, Side::kLeft, reach, a);
  PoseArm(body_, Side::kLeft, a, pose_.span());
  const Forward f = Now();
  const Vec3 line = Normalized(f.place("l_wrist") - f.place("l_shoulder"));
  EXPECT_GT(line.z, 0.999f);
}

TEST_F(BodyTest, FeetStayWhereTheyAreAndOneWithoutWeightRisesOverItsToes) {
  const Forward rest(*rig_, rig_->rest(), rig_->rest());
  std::mt19937 rng(3);
  std::uniform_real_distribution<float> unit(-1, 1);
  for (int round = 0; round < 2000; ++round) {
    const Vec3 shift{0.08f * unit(rng), 0.05f * unit(rng), 0.1f * unit(rng)};
    const Vec3 turn{0.5f * unit(rng), 0.2f * unit(rng), 0.1f * unit(rng)};
    PosePelvisOverFeet(body_, shift, turn, pose_.span());
    const Forward f = Now();
    for (const std::string side : {"l_", "r_"}) {
      const std::string toes = side + "metatarsal", ankle = side + "ankle";
      EXPECT_LT(Length(f.place(toes) - rest.place(toes)), 1e-3f) << toes << " round " << round;
      EXPECT_LT(AngleBetween(f.turn[f.index(toes)], {}), 2e-3f);
      const float heel = AngleBetween(f.turn[f.index(ankle)], {});
      const float away = side == "l_" ? -shift.x : shift.x;
      EXPECT_LT(heel, away < 0.015f ? 2e-3f : 0.29f) << round;
      EXPECT_GT(heel, away > 0.06f ? 0.1f : -1.0f) << round;
      EXPECT_GT(f.place(ankle).y, rest.place(ankle).y - 1e-3f);
    }
    // Knees bend back, never the other way.
    for (const char* joint : {"l_knee", "r_knee"}) {
      EXPECT_GE(Log(pose_.view().rotation(rig_->FindJoint(joint))).x, -1e-3f);
    }
  }
}

TEST_F(BodyTest, NeutralStanceHasTheArmsOffTheBodyAndEverythingPresent) {
  const skel::Pose neutral = *NeutralStance(*rig_);
  const skel::PoseView v = neutral.view();
  for (int j = 0; j < rig_->joints(); ++j) EXPECT_TRUE(v.has_t[j] && v.has_r[j] && v.has_s[j]);
  const Forward f(*rig_, v, rig_->rest());
  EXPECT_GT(f.place("l_wrist").x, 0.22f);
  EXPECT_LT(f.place("r_wrist").x, -0.22f);
  EXPECT_LT(f.place("l_wrist").y, 0.92f);
}

}  // namespace
}  // namespace posewire::gesture
