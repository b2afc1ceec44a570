#include "libs/skel/naming.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/skel/bone_chains.h"
#include "libs/skel/rig.h"

namespace posewire::skel {
namespace {

using ::testing::HasSubstr;

TEST(KeyOfName, IsTheLettersAndDigits) {
  EXPECT_EQ(KeyOfName("upper_arm.L"), "upperarml");
  EXPECT_EQ(KeyOfName("Upper Arm-L"), "upperarml");
  EXPECT_EQ(KeyOfName("左ひじ"), "左ひじ");
  EXPECT_EQ(KeyOfName("_."), "");
}

TEST(ParseNamings, ReadsSidesAndSpellings) {
  const auto parsed = ParseNamings(
      "# mine\n"
      "convention mine Left/Right L/R\n"
      "trunk Hips|Hip - Chest # two\n"
      "arm - {}Arm\n");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_EQ(parsed->size(), 1u);
  const NamingConvention& mine = parsed->front();
  EXPECT_EQ(mine.id, "mine");
  std::string all;
  for (const auto& name : mine.names) absl::StrAppend(&all, NameOf(name.bone), "=", name.text, " ");
  EXPECT_EQ(all,
            "Hips=Hips Hips=Hip Chest=Chest LeftUpperArm=LeftArm RightUpperArm=RightArm "
            "LeftUpperArm=LArm RightUpperArm=RArm ");
  EXPECT_EQ(mine.NameOf(HumanBone::kHips), "Hips");
  EXPECT_EQ(mine.NameOf(HumanBone::kSpine), "");
}

TEST(ParseNamings, NamesTheLineOfAFault) {
  const auto fault = [](absl::string_view text) {
    return std::string(ParseNamings(text).status().message());
  };
  EXPECT_THAT(fault("# x\ntrunk Hips\n"), HasSubstr("line 2: begin with: convention"));
  EXPECT_THAT(fault("convention a"), HasSubstr("line 1: a convention has an identifier"));
  EXPECT_THAT(fault("convention a Left"), HasSubstr("sides \"Left\": write left and right"));
  EXPECT_THAT(fault("convention a L/"), HasSubstr("sides \"L/\""));
  EXPECT_THAT(fault("convention a L/R\nconvention a L/R"), HasSubstr("line 2: the convention a"));
  EXPECT_THAT(fault("convention a L/R\ntail x"), HasSubstr("\"tail\": use convention, trunk"));
  EXPECT_THAT(fault("convention a L/R\narm {}a {}b {}c {}d {}e"),
              HasSubstr("arm has at most 4 bones, and 5 names are given"));
  EXPECT_THAT(fault("convention a L/R\narm Collar"), HasSubstr("Shoulder has two sides"));
  EXPECT_THAT(fault("convention a L/R\ntrunk {}Hips"), HasSubstr("Hips has one side"));
  EXPECT_THAT(fault("convention a L/R\ntrunk |Hips"), HasSubstr("without a letter"));
}

TEST(BoneChains, HaveEveryBoneOnce) {
  std::set<HumanBone> bones;
  for (const BoneChain& line : BoneChains()) {
    for (const HumanBone bone : line.bones) EXPECT_TRUE(bones.insert(bone).second) << NameOf(bone);
  }
  EXPECT_EQ(bones.size(), size_t{kHumanBones});
}

TEST(BoneChains, HangOnTheTrunk) {
  EXPECT_EQ(BoneAbove(HumanBone::kHips), std::nullopt);
  EXPECT_EQ(BoneAbove(HumanBone::kLeftShoulder), HumanBone::kUpperChest);
  EXPECT_EQ(BoneAbove(HumanBone::kRightEye), HumanBone::kHead);
  EXPECT_EQ(BoneAbove(HumanBone::kRightIndexProximal), HumanBone::kRightIndexMetacarpal);
  EXPECT_TRUE(HangsOn(HumanBone::kLeftLittleTip, HumanBone::kLeftUpperArm));
  EXPECT_FALSE(HangsOn(HumanBone::kLeftLittleTip, HumanBone::kRightUpperArm));
  EXPECT_FALSE(HangsOn(HumanBone::kJaw, HumanBone::kLeftEye));
}

// A stream of a thousand of them must not take seconds.
TEST(NameBones, ALongNameIsNoBone) {
  RigParts parts;
  parts.name = "long";
  for (int i = 0; i < 1000; ++i) {
    parts.joint_paths.push_back(absl::StrCat(std::string(1900, 'a'), "HipsHead_", i));
  }
  parts.joint_paths.push_back("Hips");
  parts.rest_translations.resize(parts.joint_paths.size());
  const auto rig = Rig::Make(std::move(parts));
  ASSERT_TRUE(rig.ok()) << rig.status();
  EXPECT_EQ((*rig)->humanoid().Count(), 1);
  EXPECT_EQ((*rig)->humanoid().joint(HumanBone::kHips), 1000);
}

}  // namespace
}  // namespace posewire::skel
