#include "libs/graph/reach_node.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "libs/graph/idle_node.h"
#include "libs/skel/limit_job.h"
#include "libs/skel/model_place.h"
#include "libs/skel/two_bone_ik_job.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/graph/look_at_helpers.h"

namespace posewire::graph {
namespace {

using skel::Quat;
using skel::Vec3;

Target At(Vec3 at) {
  Target target;
  target.kind = Target::Kind::kPoint;
  target.point = at;
  return target;
}
Target Hand() {
  Target target;
  target.kind = Target::Kind::kUserLeftHand;
  return target;
}

std::unique_ptr<FixedNode> AtRest(const skel::Rig& rig) {
  auto node = std::make_unique<FixedNode>(rig);
  node->pose.span().CopyFrom(rig.rest());
  return node;
}

struct Arm {
  explicit Arm(const char* rig_name, Target target, Number weight = 1, const char* joint = nullptr,
               std::optional<Vec3> pole = {})
      : rig(BuiltinRig(rig_name)), parts(std::make_shared<const BodyParts>(rig)) {
    end = joint == nullptr ? parts->arms[0].end : rig->FindJoint(joint);
    limb = LimbOf(*parts, end);
    auto below = AtRest(*rig);
    fixed = below.get();
    node = std::make_unique<TwoBoneIkNode>(parts, std::move(below), std::move(target), weight, limb,
                                           end, Vec3{}, pole);
  }
  Vec3 Place(const skel::PoseView& pose, int joint) const {
    const gesture::Forward at(*rig, pose, rig->rest());
    return at.place(rig->joint_names()[static_cast<size_t>(joint)]);
  }
  // How far the middle joint bends the right way, degrees; below 0 is backwards.
  float Bend(const skel::PoseView& pose) const {
    const Vec3 a = Place(pose, limb.start), b = Place(pose, limb.middle), c = Place(pose, limb.end);
    const Quat above = skel::TurnOf(*rig, pose, rig->topology().parent(limb.middle));
    const Vec3 axis = Rotate(above, limb.hinge);
    return std::atan2(Dot(Cross(b - a, c - b), axis), Dot(b - a, c - b)) * kDegrees;
  }
  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const BodyParts> parts;
  int end;
  BodyParts::Limb limb;
  FixedNode* fixed;
  std::unique_ptr<Node> node;
};

// A place that the limb comes to by turns within its limits.
Vec3 PlaceWithinReach(const Arm& arm, Random& rng) {
  skel::Pose pose(arm.rig->joints(), arm.rig->shapes());
  pose.span().CopyFrom(arm.rig->rest());
  const Vec3 axis = Normalized(Vec3{rng.Uniform(-1, 1), rng.Uniform(-1, 1), rng.Uniform(-1, 1)});
  const Quat swing = skel::FromAxisAngle(axis, rng.Uniform(0, 1.2f));
  const auto set = [&](int j, Quat turn) {
    pose.span().SetRotation(
        j, skel::LimitedRotation(*arm.rig, j, Normalized(Mul(turn, arm.rig->rest().rotation(j)))));
  };
  set(arm.limb.start, swing);
  set(arm.limb.middle, skel::FromAxisAngle(arm.limb.hinge, rng.Uniform(0.35f, 1.9f)));
  return arm.Place(pose.view(), arm.end);
}

TEST(TwoBoneIkNode, ReachesWithinAMillimetreWhatIsWithinReach) {
  Random rng(5);
  for (const char* rig : {"hanim_loa1", "hanim_loa3", "ace_biped", "vrm"}) {
    for (bool leg : {false, true}) {
      const Arm probe(rig, At({}));
      const int end = leg ? probe.parts->legs[1].end : probe.parts->arms[0].end;
      const std::string joint = probe.rig->joint_names()[static_cast<size_t>(end)];
      const Arm limb(rig, At({}), 1, joint.c_str());
      float worst = 0;
      for (int round = 0; round < 200; ++round) {
        const Vec3 to = PlaceWithinReach(limb, rng);
        const Arm arm(rig, At(to), 1, joint.c_str());
        Stage stage(arm.rig);
        for (int k = 0; k < 30; ++k) stage.Tick(*arm.node);
        worst = std::max(worst, Length(arm.Place(stage.pose.view(), arm.end) - to));
        ASSERT_GT(arm.Bend(stage.pose.view()), -4.5f) << rig << " " << joint;
        for (int j : {arm.limb.start, arm.limb.middle}) {
          const Quat q = stage.pose.view().rotation(j);
          ASSERT_LT(AngleBetween(q, skel::LimitedRotation(*arm.rig, j, q)), 0.01f);
        }
      }
      EXPECT_LT(worst, 1e-3f) << rig << " " << joint;
    }
  }
}

TEST(TwoBoneIkNode, NeitherBendsBackwardsNorLeavesLimitsWhereverTheTargetIs) {
  Random rng(6);
  for (int round = 0; round < 300; ++round) {
    const Arm arm("hanim_loa3",
                  At({rng.Uniform(-1, 1.5f), rng.Uniform(0, 2.5f), rng.Uniform(-1, 1)}));
    Stage stage(arm.rig);
    for (int k = 0; k < 20; ++k) {
      stage.Tick(*arm.node);
      ASSERT_GT(arm.Bend(stage.pose.view()), -4.5f);
      for (int j : {arm.limb.start, arm.limb.middle}) {
        const Quat q = stage.pose.view().rotation(j);
        ASSERT_LT(AngleBetween(q, skel::LimitedRotation(*arm.rig, j, q)), 0.01f);
      }
    }
  }
}

TEST(TwoBoneIkNode, BringsASiteToTheTargetAndTheElbowToItsPole) {
  const auto rig = BuiltinRig();
  const auto parts = std::make_shared<const BodyParts>(rig);
  const Vec3 to{0.2f, 1.1f, 0.35f};
  const skel::Site* tip = nullptr;
  for (const skel::Site& site : rig->sites()) {
    if (site.name == "l_middle_distal_tip" || site.name == "l_middle_distal_pt") tip = &site;
  }
  ASSERT_NE(tip, nullptr);
  float out_x[2];
  for (int side : {0, 1}) {
    const Vec3 pole = side == 0 ? Vec3{1.5f, 1.0f, 0} : Vec3{0.3f, 0, -0.5f};
    TwoBoneIkNode node(parts, AtRest(*rig), At(to), 1, LimbOf(*parts, tip->joint), tip->joint,
                       tip->offset, pole);
    Stage stage(rig);
    for (int k = 0; k < 60; ++k) stage.Tick(node);
    const gesture::Forward at(*rig, stage.pose.view(), rig->rest());
    const auto& joint = rig->joint_names()[static_cast<size_t>(tip->joint)];
    EXPECT_LT(Length(at.place(joint) + at.Direction(joint.c_str(), tip->offset) - to), 1e-3f);
    out_x[side] = at.place("l_elbow").x;
  }
  EXPECT_GT(out_x[0], out_x[1] + 0.05f);
}

TEST(TwoBoneIkNode, ATargetThatComesAndGoesNeverPops) {
  for (const char* rig : {"hanim_loa3", "vrm"}) {
    Arm arm(rig, Hand(), Number::Follow(0));
    Stage stage(arm.rig, {NumberVariable("reach", 1)});
    Random rng(9);
    Vec3 hand{0.3f, 1.2f, 0.4f};
    for (int k = 0; k < 4000; ++k) {
      if (rng.Uniform() < 0.05f) {
        stage.users.clear();
        if (rng.Uniform() < 0.6f) stage.users.resize(1);
      }
      if (rng.Uniform() < 0.03f) {
        hand = {rng.Uniform(-0.2f, 0.6f), rng.Uniform(0.8f, 1.7f), rng.Uniform(0.1f, 0.6f)};
      }
      if (rng.Uniform() < 0.02f) stage.variables.Set(0, Value{rng.Uniform(-0.5f, 1.5f), {}});
      for (UserInput& user : stage.users) user.has_left_hand = true, user.left_hand = hand;
      const AllocationCount allocations;
      stage.Tick(*arm.node);
      ASSERT_EQ(allocations.count(), 0);
      if (k == 0) continue;
      const Step step = LargestStep(stage.before.view(), stage.pose.view());
      ASSERT_LT(step.degrees, 25) << k;
    }
  }
}

TEST(TwoBoneIkNode, DoesNothingAtWeightZeroAndGoesOnInANewGraph) {
  Arm idle("hanim_loa3", At({0.3f, 1.2f, 0.4f}), 0);
  Stage stage(idle.rig);
  for (int k = 0; k < 5; ++k) stage.Tick(*idle.node);
  EXPECT_TRUE(SameBytes(stage.pose.view(), idle.rig->rest()));

  Arm old("hanim_loa3", At({0.3f, 1.2f, 0.4f})), fresh("hanim_loa3", At({0.3f, 1.2f, 0.4f}));
  Stage other(old.rig);
  for (int k = 0; k < 60; ++k) other.Tick(*old.node);
  fresh.node->Adopt(*old.node);
  other.Tick(*fresh.node);
  EXPECT_LT(LargestStep(other.before.view(), other.pose.view()).degrees, 0.1f);
}

TEST(PinNode, HoldsWhereTheJointWasWhenTheWeightRose) {
  const auto rig = BuiltinRig();
  const auto parts = std::make_shared<const BodyParts>(rig);
  auto below = AtRest(*rig);
  FixedNode* fixed = below.get();
  const int wrist = rig->FindJoint("l_wrist"), spine = rig->FindJoint("vl3");
  fixed->pose.span().SetRotation(rig->FindJoint("l_elbow"), skel::Exp({-1.2f, 0, 0}));
  PinNode node(parts, std::move(below), Target{}, Number::Follow(0), wrist, 3);
  Stage stage(rig, {NumberVariable("hold", 0)});
  Vec3 held;
  for (int k = 0; k < 400; ++k) {
    const float sway = 0.06f * std::sin(static_cast<float>(k) * 0.1f);
    fixed->pose.span().SetRotation(spine, skel::Exp({sway, 0, sway}));
    if (k == 50) stage.variables.Set(0, Value{1, {}});
    if (k == 300) stage.variables.Set(0, Value{0, {}});
    const AllocationCount allocations;
    stage.Tick(node);
    ASSERT_EQ(allocations.count(), 0);
    const Vec3 at = gesture::Forward(*rig, stage.pose.view(), rig->rest()).place("l_wrist");
    if (k == 50) held = at;
    if (k > 70 && k < 300) {
      ASSERT_LT(Length(at - held), 1e-3f) << k;
    }
    if (k > 0) {
      ASSERT_LT(LargestStep(stage.before.view(), stage.pose.view()).degrees, 4) << k;
    }
    if (k < 50 || k > 320) {
      ASSERT_TRUE(SameBytes(stage.pose.view(), fixed->pose.view())) << k;
    }
  }
}

TEST(PinNode, BringsAJointToATargetByAsManyJointsAsItMayTurn) {
  const auto rig = BuiltinRig();
  const auto parts = std::make_shared<const BodyParts>(rig);
  Random rng(8);
  for (int round = 0; round < 50; ++round) {
    // A place that the chain comes to by turns within its limits.
    skel::Pose bent(rig->joints(), rig->shapes());
    bent.span().CopyFrom(rig->rest());
    int j = parts->head;
    for (int i = 0; i < 12; ++i) {
      j = rig->topology().parent(j);
      const skel::JointLimit& l = rig->limits()[static_cast<size_t>(j)];
      bent.span().SetRotation(
          j, skel::FromSwingTwist(Vec3{rng.Uniform(l.min.x, l.max.x), rng.Uniform(l.min.y, l.max.y),
                                       rng.Uniform(l.min.z, l.max.z)} *
                                  0.8f));
    }
    const Vec3 to = gesture::Forward(*rig, bent.view(), rig->rest()).place("skullbase");
    PinNode node(parts, AtRest(*rig), At(to), 1, parts->head, 12);
    Stage stage(rig);
    for (int k = 0; k < 60; ++k) stage.Tick(node);
    EXPECT_LT(
        Length(gesture::Forward(*rig, stage.pose.view(), rig->rest()).place("skullbase") - to),
        1e-3f);
    for (int i = 0; i < rig->joints(); ++i) {
      const bool in_chain = i >= j && skel::IsAbove(*rig, i, parts->head) && i != parts->head;
      if (!in_chain) {
        ASSERT_EQ(AngleBetween(stage.pose.view().rotation(i), rig->rest().rotation(i)), 0);
      }
    }
  }
}

}  // namespace
}  // namespace posewire::graph
