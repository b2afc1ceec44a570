// The two inverse kinematics jobs, and the places that they stand on.
#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "libs/skel/chain_ik_job.h"
#include "libs/skel/limit_job.h"
#include "libs/skel/local_to_model_job.h"
#include "libs/skel/model_place.h"
#include "libs/skel/two_bone_ik_job.h"
#include "tests/unit/skel/helpers.h"
#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

// A limb by the names of its joints, on a rig.
TwoBoneIkJob Limb(const Rig& rig, const char* start, const char* middle, const char* end,
                  Pose& pose) {
  TwoBoneIkJob job;
  job.rig = &rig;
  job.start = rig.FindJoint(start), job.middle = rig.FindJoint(middle);
  job.end = rig.FindJoint(end);
  job.hinge = HingeOf(rig, job.start, job.middle, job.end);
  job.pose = pose.span();
  return job;
}

TEST(ModelPlace, AgreesWithTheWalkOverTheWholeHierarchy) {
  const auto rig = BuiltinRig();
  RandomPoses random(5);
  for (int round = 0; round < 20; ++round) {
    const Pose pose = random.Of(94, 52, 0.7f);
    std::vector<Vec3> at(94);
    std::vector<Quat> turns(94);
    ASSERT_TRUE(
        (LocalToModelJob{rig.get(), pose.view(), absl::MakeSpan(at), absl::MakeSpan(turns), {}}
             .Run()));
    for (int j = 0; j < 94; ++j) {
      const Placement p = PlaceOf(*rig, pose.view(), j);
      EXPECT_LT(Length(p.at - at[static_cast<size_t>(j)]), 1e-4f * (1 + Length(p.at)));
      EXPECT_LT(AngleBetween(p.turn, Normalized(turns[static_cast<size_t>(j)])), 1e-3f);
    }
  }
}

TEST(ModelPlace, TurnsAJointInModelSpace) {
  const auto rig = BuiltinRig();
  RandomPoses random(6);
  Pose pose = random.Of(94, 52, 1);
  const int j = rig->FindJoint("l_elbow");
  const Quat before = TurnOf(*rig, pose.view(), j), turn = Exp({0.3f, -0.2f, 0.9f});
  TurnInModel(*rig, j, turn, pose.span());
  EXPECT_LT(AngleBetween(TurnOf(*rig, pose.view(), j), Mul(turn, before)), 1e-3f);
}

TEST(TwoBoneIkJobValidity, NamesWhatIsWrong) {
  const auto rig = BuiltinRig();
  Pose pose(94, 52), wrong(9, 2);
  TwoBoneIkJob job = Limb(*rig, "l_shoulder", "l_elbow", "l_wrist", pose);
  EXPECT_TRUE(job.Validate().ok());
  job.pose = wrong.span();
  EXPECT_FALSE(job.Run());
  job = Limb(*rig, "l_shoulder", "r_elbow", "l_wrist", pose);
  EXPECT_FALSE(job.Run());
  job = Limb(*rig, "l_shoulder", "l_elbow", "l_wrist", pose);
  job.hinge = {};
  EXPECT_FALSE(job.Run());
  job.rig = nullptr;
  EXPECT_FALSE(job.Run());
}

TEST(TwoBoneIkJob, FindsTheHingesOfKneesAndElbowsOnEveryRig) {
  for (const char* name : {"hanim_loa1", "hanim_loa3", "hanim_loa4"}) {
    const auto rig = BuiltinRig(name);
    Pose pose(rig->joints(), rig->shapes());
    EXPECT_LT(Length(Limb(*rig, "l_shoulder", "l_elbow", "l_wrist", pose).hinge - Vec3{-1, 0, 0}),
              0.1f);
    EXPECT_LT(Length(Limb(*rig, "r_hip", "r_knee", "r_ankle", pose).hinge - Vec3{1, 0, 0}), 0.1f);
  }
  for (const char* name : {"ace_biped", "vrm"}) {
    const auto rig = BuiltinRig(name);
    const bool ace = rig->name() == "ace_biped";
    Pose pose(rig->joints(), rig->shapes());
    const auto arm = ace ? Limb(*rig, "LeftArm", "LeftForeArm", "LeftHand", pose)
                         : Limb(*rig, "LeftUpperArm", "LeftLowerArm", "LeftHand", pose);
    const auto leg = ace ? Limb(*rig, "RightLeg", "RightShin", "RightFoot", pose)
                         : Limb(*rig, "RightUpperLeg", "RightLowerLeg", "RightFoot", pose);
    EXPECT_LT(Length(arm.hinge - Vec3{0, -1, 0}), 0.1f) << name;
    EXPECT_LT(Length(leg.hinge - Vec3{1, 0, 0}), 0.1f) << name;
  }
}

TEST(TwoBoneIkJob, MeetsRandomTargetsInReachFromRandomPoses) {
  const auto rig = BuiltinRig();
  RandomPoses random(8);
  for (int round = 0; round < 500; ++round) {
    Pose pose(94, 52);
    pose.span().CopyFrom(rig->rest());
    const bool leg = round % 2 == 0;
    TwoBoneIkJob job = leg ? Limb(*rig, "l_hip", "l_knee", "l_ankle", pose)
                           : Limb(*rig, "r_shoulder", "r_elbow", "r_wrist", pose);
    for (const char* joint : {"HumanoidRoot", "vl5", "vt1", "r_shoulder", "l_hip"}) {
      pose.span().SetRotation(rig->FindJoint(joint), Exp(random.Vector() * 0.6f));
    }
    job.offset = random.Vector() * 0.05f;
    const Placement from = PlaceOf(*rig, pose.view(), job.start);
    const float reach = leg ? 0.8f : 0.5f;
    job.target = from.at + Normalized(random.Vector()) *
                               (reach * (0.5f + 0.02f * static_cast<float>(round % 25)));
    job.soft = 0;
    if (round % 3 == 0) job.pole = from.at + random.Vector();
    ASSERT_TRUE(job.Run());
    const Vec3 point = PlaceOf(*rig, pose.view(), job.end, job.offset).at;
    EXPECT_LT(Length(point - job.target), 2e-4f) << "round " << round;
    // The knee or elbow turned about its hinge only, and to its own side.
    const Vec3 bend = Log(pose.view().rotation(job.middle));
    EXPECT_LT(Length(bend - job.hinge * Dot(bend, job.hinge)), 2e-3f);
    EXPECT_GT(Dot(bend, job.hinge), -0.35f);
    if (!job.pole) continue;
    // Slow and obvious: no turn about the line brings the middle closer to the pole.
    const Vec3 middle = PlaceOf(*rig, pose.view(), job.middle).at;
    const Vec3 along = Normalized(job.target - from.at);
    for (int k = 0; k < 72; ++k) {
      const Quat turn = FromAxisAngle(along, static_cast<float>(k) * 0.0872665f);
      const Vec3 other = from.at + Rotate(turn, middle - from.at);
      EXPECT_GT(Length(other - *job.pole), Length(middle - *job.pole) - 1e-3f);
    }
  }
}

TEST(TwoBoneIkJob, PointsAtWhatIsOutOfReachAndStraightensWithoutASnap) {
  const auto rig = BuiltinRig();
  float last = -1;
  for (int k = 0; k <= 200; ++k) {
    Pose pose(94, 52);
    pose.span().CopyFrom(rig->rest());
    TwoBoneIkJob job = Limb(*rig, "l_shoulder", "l_elbow", "l_wrist", pose);
    const Vec3 from = PlaceOf(*rig, pose.view(), job.start).at;
    job.target = from + Vec3{0, 0, 0.45f + 0.001f * static_cast<float>(k)};
    ASSERT_TRUE(job.Run());
    const Vec3 to = PlaceOf(*rig, pose.view(), job.end).at - from;
    EXPECT_LT(Length(Normalized(to) - Vec3{0, 0, 1}), 2e-3f);
    const float bend = AngleBetween(pose.view().rotation(job.middle), {});
    if (last >= 0) {
      // A millimetre of target turns the elbow by no more than a few degrees.
      EXPECT_LT(std::fabs(bend - last), 0.06f) << k;
    }
    last = bend;
  }
}

TEST(TwoBoneIkJob, KeepsTheTurnOfAFootThatStands) {
  const auto rig = BuiltinRig();
  Pose pose(94, 52);
  pose.span().CopyFrom(rig->rest());
  TwoBoneIkJob job = Limb(*rig, "l_hip", "l_knee", "l_ankle", pose);
  job.keep_end = true;
  job.target = {0.15f, 0.25f, 0.2f};
  ASSERT_TRUE(job.Run());
  EXPECT_LT(AngleBetween(TurnOf(*rig, pose.view(), job.end), {}), 1e-3f);
}

TEST(ChainIkJobValidity, NamesWhatIsWrong) {
  const auto rig = BuiltinRig();
  Pose pose(94, 52);
  EXPECT_FALSE((ChainIkJob{.rig = rig.get(), .end = 94, .pose = pose.span()}.Run()));
  EXPECT_FALSE((ChainIkJob{.rig = rig.get(), .end = 4, .chain = 0, .pose = pose.span()}.Run()));
  EXPECT_FALSE((ChainIkJob{.rig = rig.get(), .end = 4, .chain = 25, .pose = pose.span()}.Run()));
  EXPECT_FALSE((ChainIkJob{.end = 4, .pose = pose.span()}.Run()));
  // A lowest joint that does not carry the end, and the end itself.
  for (int lowest : {rig->FindJoint("r_elbow"), rig->FindJoint("l_wrist"), 200}) {
    EXPECT_FALSE((ChainIkJob{
        .rig = rig.get(), .end = rig->FindJoint("l_wrist"), .lowest = lowest, .pose = pose.span()}
                      .Run()));
  }
}

TEST(ChainIkJob, TurnsTheJointsFromTheLowestUpAlone) {
  const auto rig = BuiltinRig();
  Pose pose(94, 52);
  pose.span().CopyFrom(rig->rest());
  pose.span().SetRotation(rig->FindJoint("l_elbow"), Exp({-1.0f, 0, 0}));
  const Pose before = pose;
  const int tip = rig->FindJoint("l_middle3"), elbow = rig->FindJoint("l_elbow");
  ChainIkJob job{.rig = rig.get(), .end = tip, .chain = 2, .lowest = elbow, .pose = pose.span()};
  job.within_limits = false;
  job.target = PlaceOf(*rig, pose.view(), tip).at + Vec3{0.05f, 0.04f, 0.03f};
  ASSERT_TRUE(job.Run());
  EXPECT_LT(Length(PlaceOf(*rig, pose.view(), tip).at - job.target), 1e-3f);
  const int shoulder = rig->topology().parent(elbow);
  for (int j = 0; j < 94; ++j) {
    const float turned = AngleBetween(pose.view().rotation(j), before.view().rotation(j));
    EXPECT_EQ(turned > 1e-6f, j == elbow || j == shoulder) << j;
  }
}

TEST(ChainIkJob, MeetsTargetsInReachAndMovesNoJointAboveTheChain) {
  const auto rig = BuiltinRig();
  RandomPoses random(9);
  for (int round = 0; round < 200; ++round) {
    Pose pose(94, 52);
    pose.span().CopyFrom(rig->rest());
    pose.span().SetRotation(rig->FindJoint("l_shoulder"), Exp({-0.6f, 0, 0.3f}));
    pose.span().SetRotation(rig->FindJoint("l_elbow"), Exp({-1.0f, 0, 0}));
    const Pose before = pose;
    const int wrist = rig->FindJoint("l_wrist");
    ChainIkJob job{.rig = rig.get(), .end = wrist, .chain = 3, .pose = pose.span()};
    job.within_limits = false;
    const Vec3 from = PlaceOf(*rig, pose.view(), wrist).at;
    job.target = from + random.Vector() * 0.08f;
    ASSERT_TRUE(job.Run());
    EXPECT_LT(Length(PlaceOf(*rig, pose.view(), wrist).at - job.target), 2e-4f);
    for (int j = 0; j < 94; ++j) {
      const auto& name = rig->joint_names()[static_cast<size_t>(j)];
      if (name == "l_elbow" || name == "l_shoulder" || name == "l_acromioclavicular") continue;
      EXPECT_EQ(pose.view().qx[j], before.view().qx[j]) << name;
    }
  }
}

TEST(ChainIkJob, TurnsNoMoreThanADescentByGradientWould) {
  const auto rig = BuiltinRig("ace_biped");  // no joint of it is stiff
  RandomPoses random(10);
  for (int round = 0; round < 20; ++round) {
    Pose pose(rig->joints(), rig->shapes());
    pose.span().CopyFrom(rig->rest());
    const int head = rig->FindJoint("Head");
    const Vec3 target = PlaceOf(*rig, pose.view(), head).at + random.Vector() * 0.02f;
    Pose slow = pose;
    ChainIkJob job{
        .rig = rig.get(), .end = head, .chain = 6, .target = target, .pose = pose.span()};
    job.within_limits = false;
    ASSERT_TRUE(job.Run());
    const auto total = [&](const Pose& p) {
      float sum = 0;
      for (int j = 0; j < rig->joints(); ++j) {
        const float a = AngleBetween(p.view().rotation(j), rig->rest().rotation(j));
        sum += a * a;
      }
      return sum;
    };
    // Follows the gradient of the squared distance in small steps: also the least change, slowly.
    for (int k = 0; k < 4000; ++k) {
      const Vec3 point = PlaceOf(*rig, slow.view(), head).at;
      int j = head;
      for (int i = 0; i < 6; ++i) {
        j = rig->topology().parent(j);
        const Vec3 arm = point - PlaceOf(*rig, slow.view(), j).at;
        TurnInModel(*rig, j, Exp(Cross(arm, target - point) * 0.5f), slow.span());
      }
    }
    const float fast_miss = Length(PlaceOf(*rig, pose.view(), head).at - target);
    const float slow_miss = Length(PlaceOf(*rig, slow.view(), head).at - target);
    EXPECT_LT(fast_miss, slow_miss + 1e-3f);
    if (slow_miss < 5e-4f) {
      EXPECT_LT(total(pose), total(slow) * 1.2f + 1e-4f);
    }
  }
}

TEST(ChainIkJob, StaysWithinTheLimits) {
  const auto rig = BuiltinRig();
  RandomPoses random(11);
  for (int round = 0; round < 50; ++round) {
    Pose pose(94, 52);
    pose.span().CopyFrom(rig->rest());
    const int wrist = rig->FindJoint("r_wrist");
    ChainIkJob job{.rig = rig.get(), .end = wrist, .chain = 6, .pose = pose.span()};
    job.target = random.Vector();
    ASSERT_TRUE(job.Run());
    Pose held(94, 52);
    ASSERT_TRUE((LimitJob{rig.get(), pose.view(), held.span()}.Run()));
    for (int j = 0; j < 94; ++j) {
      EXPECT_LT(AngleBetween(held.view().rotation(j), pose.view().rotation(j)), 1e-3f);
    }
  }
}

// Three joints in a row along Y, a third of a metre each, and how stiff the middle one is.
std::shared_ptr<const Rig> Rod(Vec3 stiffness) {
  RigParts parts;
  parts.name = "rod";
  parts.joint_paths = {"a", "a/b", "a/b/c", "a/b/c/tip"};
  parts.rest_translations = {{}, {0, 0.33f, 0}, {0, 0.33f, 0}, {0, 0.33f, 0}};
  parts.stiffness = {{}, stiffness, {}, {}};
  auto rig = Rig::Make(std::move(parts));
  EXPECT_TRUE(rig.ok()) << rig.status();
  return *rig;
}

// How far each joint of the rod turns until its tip is at the target.
std::array<float, 3> TurnsOf(Vec3 stiffness, Vec3 target) {
  const auto rig = Rod(stiffness);
  Pose pose(4, 0);
  pose.span().CopyFrom(rig->rest());
  ChainIkJob job{.rig = rig.get(), .end = 3, .target = target, .most_steps = 60};
  job.pose = pose.span();
  EXPECT_TRUE(job.Run());
  EXPECT_LT(Length(PlaceOf(*rig, pose.view(), 3).at - target), 2e-3f);
  std::array<float, 3> turns;
  for (int j = 0; j < 3; ++j) {
    turns[static_cast<size_t>(j)] = AngleBetween(pose.view().rotation(j), {});
  }
  return turns;
}

TEST(ChainIkJob, TurnsStiffJointsLessAndLockedOnesNotAtAll) {
  const Vec3 target{0, 0.75f, 0.35f};
  float before = 1e9f;
  for (const float stiff : {0.0f, 0.5f, 0.9f, 1.0f}) {
    const auto turns = TurnsOf({stiff, stiff, stiff}, target);
    EXPECT_LT(turns[1], before) << stiff;
    before = turns[1];
    EXPECT_GT(turns[0] + turns[2], 0.3f);
  }
  EXPECT_LT(before, 1e-5f);
}

TEST(ChainIkJob, KnowsTheAxisThatIsStiff) {
  // Towards Z the rod turns about X, towards X about Z.
  EXPECT_LT(TurnsOf({1, 0, 0}, {0, 0.75f, 0.35f})[1], 1e-5f);
  EXPECT_GT(TurnsOf({1, 0, 0}, {0.35f, 0.75f, 0})[1], 0.05f);
}

TEST(ChainIkJob, AStiffnessOfNothingIsAsNone) {
  const Vec3 target{0.1f, 0.75f, 0.3f};
  const auto rig = Rod({});
  RigParts parts;
  parts.name = "rod";
  parts.joint_paths = {"a", "a/b", "a/b/c", "a/b/c/tip"};
  parts.rest_translations = {{}, {0, 0.33f, 0}, {0, 0.33f, 0}, {0, 0.33f, 0}};
  const auto bare = *Rig::Make(std::move(parts));
  Pose one(4, 0), other(4, 0);
  one.span().CopyFrom(rig->rest()), other.span().CopyFrom(rig->rest());
  ASSERT_TRUE((ChainIkJob{.rig = rig.get(), .end = 3, .target = target, .pose = one.span()}.Run()));
  ASSERT_TRUE(
      (ChainIkJob{.rig = bare.get(), .end = 3, .target = target, .pose = other.span()}.Run()));
  for (int j = 0; j < 3; ++j) {
    EXPECT_LT(AngleBetween(one.view().rotation(j), other.view().rotation(j)), 1e-4f);
  }
}

}  // namespace
}  // namespace posewire::skel
