#include "libs/graph/mirror_node.h"

#include "libs/skel/local_to_model_job.h"
#include "tests/unit/graph/runner.h"

namespace posewire::graph {
namespace {

using skel::OtherSide;
using skel::Quat;
using skel::Vec3;

// Rotations and places of all joints in the model.
struct Model {
  Model(const skel::Rig& rig, const skel::PoseView& pose) {
    for (int j = 0; j < rig.joints(); ++j) {
      const int up = rig.topology().parent(j);
      const Quat q = up < 0 ? Quat{} : turns[static_cast<size_t>(up)];
      const Vec3 p = up < 0 ? Vec3{} : places[static_cast<size_t>(up)];
      turns.push_back(Normalized(Mul(q, pose.rotation(j))));
      places.push_back(p + Rotate(q, pose.translation(j)));
    }
  }
  std::vector<Quat> turns;
  std::vector<Vec3> places;
};

// A small rig with turned rest bones that is exactly symmetrical.
std::shared_ptr<const skel::Rig> Symmetrical() {
  skel::RigParts parts;
  parts.name = "twins";
  parts.joint_paths = {"root", "root/l_arm", "root/l_arm/l_hand", "root/r_arm",
                       "root/r_arm/r_hand"};
  const Quat arm = Normalized(Quat{0.8f, 0.3f, 0.4f, -0.2f});
  const Quat hand = Normalized(Quat{0.6f, -0.1f, 0.2f, 0.7f});
  const auto flip = [](Quat q) { return Quat{q.w, q.x, -q.y, -q.z}; };
  parts.rest_translations = {
      {0, 1, 0}, {0.2f, 0.1f, 0}, {0.3f, 0, 0.1f}, {-0.2f, 0.1f, 0}, {-0.3f, 0, 0.1f}};
  parts.rest_rotations = {{}, arm, hand, flip(arm), flip(hand)};
  parts.shapes = {"smileLeft", "jaw", "smileRight"};
  return *skel::Rig::Make(std::move(parts));
}

TEST(Mirror, KnowsTheOtherSide) {
  EXPECT_EQ(OtherSide("l_elbow"), "r_elbow");
  EXPECT_EQ(OtherSide("r_elbow"), "l_elbow");
  EXPECT_EQ(OtherSide("LeftHandThumb1"), "RightHandThumb1");
  EXPECT_EQ(OtherSide("browOuterUpRight"), "browOuterUpLeft");
  EXPECT_EQ(OtherSide("arm.L"), "arm.R");
  EXPECT_EQ(OtherSide("arm_r"), "arm_l");
  EXPECT_EQ(OtherSide("leftUpperArm"), "rightUpperArm");
  EXPECT_EQ(OtherSide("J_Bip_L_UpperArm"), "J_Bip_R_UpperArm");
  EXPECT_EQ(OtherSide("skullbase"), "skullbase");
}

TEST(Mirror, RestStaysRestOnEveryRig) {
  for (const char* name : {"hanim_loa1", "hanim_loa4", "ace_biped", "vrm"}) {
    const auto rig = BuiltinRig(name);
    const skel::Mirror mirror(*rig);
    skel::Pose out(rig->joints(), rig->shapes());
    mirror.Run(rig->rest(), out.span());
    const Step step = LargestStep(out.view(), rig->rest());
    EXPECT_LT(step.degrees, 0.05);
    EXPECT_LT(step.metres, 1e-5);
    int pairs = 0;
    for (int j = 0; j < rig->joints(); ++j) {
      EXPECT_EQ(mirror.joint_partner(mirror.joint_partner(j)), j);
      pairs += mirror.joint_partner(j) != j;
    }
    EXPECT_GE(pairs, 14) << name;
    EXPECT_EQ(mirror.shape_partner(rig->FindShape("eyeBlinkLeft")),
              rig->FindShape("eyeBlinkRight"));
  }
}

// On a symmetrical rig every place of the mirrored pose is the mirror image of its partner's.
TEST(Mirror, PlacesAreMirrorImages) {
  const auto rig = Symmetrical();
  const skel::Mirror mirror(*rig);
  Random rng(4);
  for (int round = 0; round < 300; ++round) {
    skel::Pose pose = RandomPose(*rig, rng, 1, 3), out(rig->joints(), rig->shapes()), back = out;
    mirror.Run(pose.view(), out.span());
    const Model a(*rig, pose.view()), b(*rig, out.view());
    for (int j = 0; j < rig->joints(); ++j) {
      const auto from = static_cast<size_t>(j);
      const auto to = static_cast<size_t>(mirror.joint_partner(j));
      const Vec3 p = a.places[from], q = b.places[to];
      EXPECT_LT(Length(Vec3{-p.x, p.y, p.z} - q), 1e-5f);
      // A point away from the joint, too.
      const Vec3 u =
          p + Rotate(a.turns[from],
                     Rotate(Conjugate(Model(*rig, rig->rest()).turns[from]), {0.3f, 0.2f, 0.1f}));
      const Vec3 v = q + Rotate(b.turns[to], Rotate(Conjugate(Model(*rig, rig->rest()).turns[to]),
                                                    {-0.3f, 0.2f, 0.1f}));
      EXPECT_LT(Length(Vec3{-u.x, u.y, u.z} - v), 1e-5f);
    }
    EXPECT_EQ(out.view().weights[0], pose.view().weights[2]);
    EXPECT_EQ(out.view().weights[1], pose.view().weights[1]);
    mirror.Run(out.view(), back.span());
    EXPECT_LT(LargestStep(back.view(), pose.view()).degrees, 0.1) << "twice is the pose itself";
  }
}

TEST(Mirror, PresenceGoesAlong) {
  const auto rig = BuiltinRig();
  const skel::Mirror mirror(*rig);
  skel::Pose pose(rig->joints(), rig->shapes()), out = pose;
  pose.span().SetRotation(rig->FindJoint("l_elbow"), skel::FromAxisAngle({0, 1, 0}, 1));
  mirror.Run(pose.view(), out.span());
  for (int j = 0; j < rig->joints(); ++j) {
    EXPECT_EQ(out.view().has_r[j], j == rig->FindJoint("r_elbow"));
    EXPECT_FALSE(out.view().has_t[j]);
  }
  const Quat q = out.view().rotation(rig->FindJoint("r_elbow"));
  EXPECT_NEAR(q.y, -std::sin(0.5), 1e-6);
}

TEST(MirrorNode, EasesTheChange) {
  Runner run({NumberVariable("w", 0)});
  auto fixed = std::make_unique<FixedNode>(*run.rig);
  FixedNode* below = fixed.get();
  Random rng(5);
  below->pose = RandomPose(*run.rig, rng, 1, 2);
  MirrorNode node(run.rig, std::move(fixed));
  node.set_weight(Number::Follow(0));
  run.Tick(node, 3);
  EXPECT_TRUE(SameBytes(run.raw.view(), below->pose.view()));
  const skel::Mirror mirror(*run.rig);
  skel::Pose want(run.rig->joints(), run.rig->shapes());
  mirror.Run(below->pose.view(), want.span());
  for (int k = 0; k < 300; ++k) {
    run.Set("w", k / 40 % 2 == 0 ? 0.5 : 0.4);
    run.Tick(node);
    ASSERT_LE(run.step().degrees, 38.1f) << k;
    ASSERT_LE(run.step().weight, 0.57f) << k;
    if (k == 39) {
      EXPECT_LT(LargestStep(run.raw.view(), want.view()).degrees, 0.05);
    }
  }
}

}  // namespace
}  // namespace posewire::graph
