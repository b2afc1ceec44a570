#include "libs/diagram/body_plan.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_replace.h"
#include "libs/diagram/model_pose.h"
#include "tests/unit/diagram/rigs.h"

namespace posewire::diagram {
namespace {

class BodyPlanOfRig : public testing::TestWithParam<std::string> {
 protected:
  BodyPlanOfRig() : rig_(BuiltinRig(GetParam())), plan_(MakeBodyPlan(*rig_)) {}
  std::string Name(int joint) const {
    return joint < 0 ? "-" : rig_->joint_names()[static_cast<size_t>(joint)];
  }
  std::shared_ptr<const skel::Rig> rig_;
  BodyPlan plan_;
};

TEST_P(BodyPlanOfRig, FindsBothSidesOfTheBody) {
  for (int i = 0; i < 2; ++i) {
    ASSERT_GE(plan_.wrist[i], 0);
    ASSERT_GE(plan_.shoulder[i], 0);
    ASSERT_GE(plan_.hip[i], 0);
    const Side side = i == 0 ? Side::kLeft : Side::kRight;
    const ModelPose rest = ToModel(*rig_, rig_->rest());
    for (int joint : {plan_.wrist[i], plan_.shoulder[i], plan_.hip[i]}) {
      EXPECT_EQ(plan_.side[static_cast<size_t>(joint)], side) << Name(joint);
      const float x = rest.position[static_cast<size_t>(joint)].x;
      EXPECT_GT(side == Side::kLeft ? x : -x, 0.05f) << Name(joint);
    }
    const float shoulder_y = rest.position[static_cast<size_t>(plan_.shoulder[i])].y;
    EXPECT_NEAR(shoulder_y - plan_.floor_y_m, 0.82f * plan_.height_m, 0.08f * plan_.height_m);
  }
  ASSERT_GE(plan_.head.joint, 0);
  ASSERT_GE(plan_.chest, 0);
  ASSERT_GE(plan_.pelvis, 0);
}

TEST_P(BodyPlanOfRig, BonesAreAsLongAsHumanBonesAre) {
  const ModelPose rest = ToModel(*rig_, rig_->rest());
  for (const Bone& bone : plan_.bones) {
    EXPECT_LT(skel::Length(rest.At(bone.to) - rest.At(bone.from)), 0.6f)
        << Name(bone.from.joint) << " to " << Name(bone.to.joint);
  }
}

TEST_P(BodyPlanOfRig, EveryLimbJointEndsABone) {
  std::set<int> reached;
  for (const Bone& bone : plan_.bones) reached.insert(bone.to.joint);
  for (int j = 0; j < rig_->joints(); ++j) {
    const Part part = plan_.part[static_cast<size_t>(j)];
    if (part == Part::kFace || part == Part::kSpine) continue;
    EXPECT_TRUE(reached.count(j)) << Name(j);
  }
}

TEST_P(BodyPlanOfRig, LeftAndRightHaveTheSameBones) {
  int left = 0, right = 0;
  for (const Bone& bone : plan_.bones) {
    left += bone.side == Side::kLeft;
    right += bone.side == Side::kRight;
  }
  EXPECT_EQ(left, right);
  EXPECT_GE(left, 6);
}

TEST_P(BodyPlanOfRig, TheHeadsOvalLiesOnTopOfTheBody) {
  const ModelPose rest = ToModel(*rig_, rig_->rest());
  const skel::Vec3 middle = rest.At({plan_.head.joint, plan_.head.center});
  EXPECT_NEAR(middle.y + plan_.head.half_axes.y - plan_.floor_y_m, plan_.height_m,
              0.1f * plan_.height_m);
  EXPECT_GT(middle.y, rest.position[static_cast<size_t>(plan_.shoulder[0])].y);
}

TEST_P(BodyPlanOfRig, AJointReachesAtLeastAsFarAsItsChildren) {
  for (int j = 0; j < rig_->joints(); ++j) {
    const int p = rig_->topology().parent(j);
    if (p < 0) continue;
    EXPECT_GE(plan_.reach_m[static_cast<size_t>(p)] + 1e-4f, plan_.reach_m[static_cast<size_t>(j)])
        << Name(j);
  }
}

INSTANTIATE_TEST_SUITE_P(All, BodyPlanOfRig,
                         testing::Values("hanim_loa1", "hanim_loa2", "hanim_loa3", "hanim_loa4",
                                         "ace_biped", "vrm"),
                         [](const auto& info) { return info.param; });

TEST(BodyPlan, FingersEndInTipsOnTheStandardRig) {
  const auto rig = BuiltinRig("hanim_loa3");
  const BodyPlan plan = MakeBodyPlan(*rig);
  int tips = 0;
  for (const Bone& bone : plan.bones) {
    tips += bone.part == Part::kHand && bone.from.joint == bone.to.joint;
  }
  EXPECT_EQ(tips, 10);
}

// VRoid writes the side within the name.
TEST(BodyPlan, ABodyOfOtherNamesIsTheSameBody) {
  const auto vrm = BuiltinRig("vrm");
  skel::RigParts parts;
  parts.name = "vroid";
  parts.stance = vrm->stance();
  for (int j = 0; j < vrm->joints(); ++j) {
    std::string path(vrm->joint_paths()[static_cast<size_t>(j)]);
    path = absl::StrReplaceAll(path, {{"Left", "J_Bip_L_"},
                                      {"Right", "J_Bip_R_"},
                                      {"Toes", "ToeBase"},
                                      {"Proximal", "1"},
                                      {"Intermediate", "2"},
                                      {"Distal", "3"},
                                      {"LeftEye", "J_Adj_L_FaceEye"},
                                      {"RightEye", "J_Adj_R_FaceEye"},
                                      {"Head", "J_Bip_C_Head"}});
    parts.joint_paths.push_back(path);
    parts.rest_translations.push_back(vrm->rest().translation(j));
  }
  const auto vroid = skel::Rig::Make(std::move(parts));
  ASSERT_TRUE(vroid.ok()) << vroid.status();
  const BodyPlan want = MakeBodyPlan(*vrm), plan = MakeBodyPlan(**vroid);
  EXPECT_EQ(plan.side, want.side);
  EXPECT_EQ(plan.part, want.part);
  EXPECT_EQ(plan.bones.size(), want.bones.size());
  EXPECT_EQ(plan.head.joint, want.head.joint);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(plan.head.eye[i], want.head.eye[i]);
    EXPECT_EQ(plan.index[i], want.index[i]);
    EXPECT_EQ(plan.hip[i], want.hip[i]);
  }
}

TEST(BodyPlan, ARigWithUnknownNamesIsDrawnJointByJoint) {
  skel::RigParts parts;
  parts.name = "tail";
  parts.joint_paths = {"a", "a/b", "a/b/c"};
  parts.rest_translations = {{0, 0, 0}, {0, 0.3f, 0}, {0, 0.3f, 0.1f}};
  const auto rig = skel::Rig::Make(parts);
  ASSERT_TRUE(rig.ok()) << rig.status();
  const BodyPlan plan = MakeBodyPlan(**rig);
  EXPECT_EQ(plan.bones.size(), 2u);
  EXPECT_EQ(plan.head.joint, -1);
  EXPECT_EQ(plan.wrist[0], -1);
}

TEST(BodyPlan, ARigWithoutJointsHasNoBones) {
  skel::RigParts parts;
  parts.name = "face";
  parts.shapes = {"jawOpen"};
  const auto rig = skel::Rig::Make(parts);
  ASSERT_TRUE(rig.ok()) << rig.status();
  EXPECT_TRUE(MakeBodyPlan(**rig).bones.empty());
}

}  // namespace
}  // namespace posewire::diagram
