#include "libs/skel/mask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/skel/helpers.h"

namespace posewire::skel {
namespace {

using ::testing::HasSubstr;

float At(const Mask& mask, const Rig& rig, absl::string_view joint) {
  return mask.joint(rig.FindJoint(joint));
}
int Count(const Mask& mask) {
  int count = 0;
  for (int j = 0; j < mask.joints(); ++j) count += mask.joint(j) > 0 ? 1 : 0;
  return count;
}

TEST(Mask, HoldsOneWeightForAll) {
  const std::shared_ptr<const Rig> rig = BuiltinRig("hanim_loa1");
  const Mask mask(*rig, 0.5f);
  EXPECT_EQ(mask.joints(), 18);
  EXPECT_EQ(mask.shapes(), 52);
  EXPECT_EQ(mask.joint(17), 0.5f);
  EXPECT_EQ(mask.shape(51), 0.5f);
  EXPECT_EQ(Mask(*rig, 7).joint(0), 1);
}

TEST(Mask, SetsAJointAndAllBelowIt) {
  const std::shared_ptr<const Rig> rig = BuiltinRig("hanim_loa3");
  Mask mask(*rig, 0);
  ASSERT_TRUE(mask.SetSubtree(*rig, "l_elbow", 0.5f).ok());
  EXPECT_EQ(At(mask, *rig, "l_shoulder"), 0);
  EXPECT_EQ(At(mask, *rig, "l_elbow"), 0.5f);
  EXPECT_EQ(At(mask, *rig, "l_pinky3"), 0.5f);
  EXPECT_EQ(At(mask, *rig, "r_elbow"), 0);
  EXPECT_EQ(Count(mask), 1 + 1 + 3 + 4 * 4);
  EXPECT_THAT(std::string(mask.SetSubtree(*rig, "tail", 1).message()),
              HasSubstr("no joint \"tail\"; there are 94, such as "));
  EXPECT_THAT(std::string(mask.SetSubtree(*rig, "l_elbwo", 1).message()),
              HasSubstr("did you mean l_elbow"));
  ASSERT_TRUE(mask.SetShape(*rig, "JAWOPEN", 0.25f).ok());
  EXPECT_EQ(mask.shape(17), 0.25f);
  EXPECT_THAT(std::string(mask.SetShape(*rig, "jawOpne", 1).message()),
              HasSubstr("did you mean jawOpen"));
}

TEST(Mask, ASubtreeEndsAtTheNextRoot) {
  const auto rig = *Rig::Parse("rig r\njoint A - 0 0 0\njoint B - 0 0 0\njoint B/C - 0 0 0\n");
  Mask mask(*rig, 0);
  ASSERT_TRUE(mask.SetSubtree(*rig, "A", 1).ok());
  EXPECT_EQ(Count(mask), 1);
  ASSERT_TRUE(mask.SetSubtree(*rig, "B", 1).ok());
  EXPECT_EQ(Count(mask), 3);
}

TEST(Mask, RegionsOfTheStandardRigHoldTheRightJoints) {
  const std::shared_ptr<const Rig> rig = BuiltinRig("hanim_loa3");
  const auto region = [&](absl::string_view name) { return *Mask::Region(*rig, name); };
  EXPECT_EQ(Count(region("face")), 7);
  EXPECT_EQ(region("face").shape(0), 1);
  EXPECT_EQ(Count(region("head")), 7 + 1 + 7);
  EXPECT_EQ(Count(region("left_arm")), 24);
  EXPECT_EQ(region("left_arm").shape(0), 0);
  EXPECT_EQ(Count(region("arms")), 2 * 24);
  EXPECT_EQ(At(region("arms"), *rig, "r_index3"), 1);
  EXPECT_EQ(Count(region("hands")), 2 * 20);
  EXPECT_EQ(Count(region("legs")), 2 * 6);
  EXPECT_EQ(At(region("legs"), *rig, "sacroiliac"), 0);
  EXPECT_EQ(Count(region("upper_body")), 94 - 2 - 12);
  EXPECT_EQ(At(region("upper_body"), *rig, "r_index3"), 1);
  EXPECT_THAT(std::string(Mask::Region(*rig, "tail").status().message()),
              HasSubstr("face, head, upper_body, left_arm, right_arm, arms, hands, legs"));
  EXPECT_THAT(std::string(Mask::Region(*rig, "left-amr").status().message()),
              HasSubstr("did you mean left_arm?"));
}

TEST(Mask, RegionsFitEveryBuiltinRig) {
  for (const char* name :
       {"hanim_loa1", "hanim_loa2", "hanim_loa3", "hanim_loa4", "ace_biped", "vrm"}) {
    const std::shared_ptr<const Rig> rig = BuiltinRig(name);
    for (const char* region : {"head", "upper_body", "left_arm", "right_arm", "hands", "legs"}) {
      const int count = Count(*Mask::Region(*rig, region));
      EXPECT_GT(count, 0) << name << " " << region;
      EXPECT_LT(count, rig->joints());
    }
    EXPECT_EQ(Count(*Mask::Region(*rig, "left_arm")), Count(*Mask::Region(*rig, "right_arm")));
  }
}

// Mixamo calls the shank what ACE calls the thigh, and the second joint of the spine what ACE calls
// the first.
TEST(Mask, RegionsHoldAllOfAMixamoBody) {
  const auto rig = *Rig::Parse(R"(
rig mixamo
joint mixamorig:Hips - 0 1 0
joint mixamorig:Hips/mixamorig:LeftUpLeg - 0.1 0 0
joint mixamorig:Hips/mixamorig:LeftUpLeg/mixamorig:LeftLeg - 0 -0.4 0
joint mixamorig:Hips/mixamorig:RightUpLeg - -0.1 0 0
joint mixamorig:Hips/mixamorig:RightUpLeg/mixamorig:RightLeg - 0 -0.4 0
joint mixamorig:Hips/mixamorig:Spine - 0 0.1 0
joint mixamorig:Hips/mixamorig:Spine/mixamorig:Spine1 - 0 0.1 0
joint mixamorig:Hips/mixamorig:Spine/mixamorig:Spine1/mixamorig:Head - 0 0.3 0
)");
  EXPECT_EQ(Count(*Mask::Region(*rig, "legs")), 4);
  EXPECT_EQ(Count(*Mask::Region(*rig, "upper_body")), 3);
  EXPECT_EQ(Count(*Mask::Region(*rig, "head")), 1);
}

}  // namespace
}  // namespace posewire::skel
