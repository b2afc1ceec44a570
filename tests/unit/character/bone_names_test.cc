#include "libs/character/bone_names.h"

#include <gtest/gtest.h>

#include "libs/skel/bone_words.h"

namespace posewire::character {
namespace {

using skel::HumanBone;

TEST(BoneOf, KnowsTheNamesOfTools) {
  const std::pair<const char*, HumanBone> names[] = {
      {"mixamorig:LeftForeArm", HumanBone::kLeftLowerArm},
      {"mixamorigLeftForeArm", HumanBone::kLeftLowerArm},
      {"mixamorig:Spine1", HumanBone::kChest},
      {"forearm_l", HumanBone::kLeftLowerArm},
      {"lowerarm_r", HumanBone::kRightLowerArm},
      {"Left lower arm", HumanBone::kLeftLowerArm},
      {"thigh.R", HumanBone::kRightUpperLeg},
      {"DEF-thigh.L", HumanBone::kLeftUpperLeg},
      {"J_Bip_C_UpperChest", HumanBone::kUpperChest},
      {"Bip01 L Clavicle", HumanBone::kLeftShoulder},
      {"spine_02", HumanBone::kChest},
      {"pelvis", HumanBone::kHips},
      {"ball_l", HumanBone::kLeftToes},
      {"LeftHandThumb1", HumanBone::kLeftThumbProximal},
      {"index_02_r", HumanBone::kRightIndexIntermediate},
      {"Armature|Head", HumanBone::kHead},
  };
  for (const auto& [name, bone] : names) EXPECT_EQ(skel::BoneOfWords(name), bone) << name;
  for (const char* name : {"", "Body", "handle", "tongue", "arm", "hair_l", "hip_l", "Left", ":"}) {
    EXPECT_EQ(skel::BoneOfWords(name), std::nullopt) << name;
  }
}

TEST(FindBones, TheNamingThatKnowsMostDecides) {
  // Ready Player Me says Mixamo's names without its prefix; "LeftLeg" is a thigh elsewhere.
  const std::vector<std::string> names = {
      "Hips",      "Spine",       "Spine1",   "Spine2",     "Neck",         "Head",
      "LeftArm",   "LeftForeArm", "LeftHand", "RightArm",   "RightForeArm", "RightHand",
      "LeftUpLeg", "LeftLeg",     "LeftFoot", "RightUpLeg", "RightLeg",     "RightFoot"};
  const BoneNodes bones = FindBones(names);
  EXPECT_EQ(bones[static_cast<size_t>(HumanBone::kLeftLowerLeg)], 13);
  EXPECT_EQ(bones[static_cast<size_t>(HumanBone::kLeftUpperLeg)], 12);
  EXPECT_EQ(bones[static_cast<size_t>(HumanBone::kChest)], 2);
}

TEST(SourcesOf, FindsShapesByNameSideAndWhole) {
  const std::vector<std::string> keys = {"jawopen", "mouthsmileleft", "mouthsmileright",
                                         "cheekpuff"};
  EXPECT_EQ(SourcesOf("blendShape1.jawOpen", keys), (std::vector<int>{0}));
  EXPECT_EQ(SourcesOf("mouthSmile_L", keys), (std::vector<int>{1}));
  EXPECT_EQ(SourcesOf("Mouth_Smile", keys), (std::vector<int>{1, 2}));
  EXPECT_EQ(SourcesOf("cheekPuff_R", keys), (std::vector<int>{3}));
  EXPECT_TRUE(SourcesOf("hair", keys).empty());
}

}  // namespace
}  // namespace posewire::character
