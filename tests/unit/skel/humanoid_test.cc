#include "libs/skel/humanoid.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "libs/skel/naming.h"
#include "libs/skel/rig.h"

namespace posewire::skel {
namespace {

using enum HumanBone;

// Joints of these names, each a root.
std::shared_ptr<const Rig> RigOf(std::vector<std::string> names) {
  RigParts parts;
  parts.name = "names";
  parts.rest_translations.resize(names.size());
  parts.joint_paths = std::move(names);
  return *Rig::Make(std::move(parts));
}
std::string NameAt(const Rig& rig, HumanBone bone) {
  const int j = rig.humanoid().joint(bone);
  return j < 0 ? "" : rig.joint_paths()[static_cast<size_t>(j)];
}
std::ifstream Shared(absl::string_view path) {
  const char* source = std::getenv("POSEWIRE_SOURCE_DIR");
  return std::ifstream(absl::StrCat(source ? source : ".", "/../shared/", path));
}

TEST(Humanoid, NamesItsBonesAsUnityDoes) {
  EXPECT_EQ(HumanBoneNames().size(), size_t{kHumanBones});
  EXPECT_EQ(NameOf(kHips), "Hips");
  EXPECT_EQ(NameOf(kLeftThumbProximal), "LeftThumbProximal");
  EXPECT_EQ(NameOf(kUpperChest), "UpperChest");
  EXPECT_EQ(NameOf(kRightToeTip), "RightToeTip");
  EXPECT_EQ(FindHumanBone("leftupperarm"), kLeftUpperArm);
  EXPECT_EQ(FindHumanBone("LastBone"), std::nullopt);
}

// A rig of any convention has all its bones where that convention says, whatever exporters do to
// its names.
TEST(Humanoid, KnowsEveryConvention) {
  for (const NamingConvention& convention : *BuiltinNamings()) {
    int number = 0;
    const std::function<std::string(const std::string&)> spellings[] = {
        [](const std::string& name) { return name; },
        [](const std::string& name) { return "performer1:" + name; },
        [](const std::string& name) { return "Armature|" + name; },
        [](const std::string& name) { return absl::AsciiStrToLower(name); },
        [](const std::string& name) { return "Actor 7_" + name; },
        [](const std::string& name) { return name + "_jnt"; },
        [&](const std::string& name) { return absl::StrCat(name, "_0", ++number); },
        [](const std::string& name) {  // as three.js does
          return absl::StrReplaceAll(name, {{".", ""}, {" ", "_"}, {":", ""}});
        }};
    for (const auto& spelled : spellings) {
      std::vector<std::string> names;
      std::map<HumanBone, std::string> want;
      for (int b = 0; b < kHumanBones; ++b) {
        const auto bone = static_cast<HumanBone>(b);
        const absl::string_view name = convention.NameOf(bone);
        if (name.empty()) continue;
        names.push_back(spelled(std::string(name)));
        want[bone] = names.back();
      }
      ASSERT_GE(want.size(), 17u) << convention.id;
      const auto rig = RigOf(names);
      EXPECT_EQ(rig->humanoid().convention(), convention.id) << names[0];
      for (int b = 0; b < kHumanBones; ++b) {
        const auto bone = static_cast<HumanBone>(b);
        EXPECT_EQ(NameAt(*rig, bone), want.contains(bone) ? want[bone] : "")
            << convention.id << " " << NameOf(bone);
      }
    }
  }
}

// One word is two bones: what the rest of the rig is called decides.
TEST(Humanoid, TellsAThighFromAShank) {
  const auto ace = RigOf({"Hips", "Spine1", "Spine2", "LeftLeg", "LeftShin", "LeftFoot"});
  EXPECT_EQ(NameAt(*ace, kLeftUpperLeg), "LeftLeg");
  EXPECT_EQ(NameAt(*ace, kLeftLowerLeg), "LeftShin");
  EXPECT_EQ(NameAt(*ace, kSpine), "Spine1");
  const auto mixamo = RigOf({"Hips", "Spine", "Spine1", "LeftUpLeg", "LeftLeg", "LeftFoot"});
  EXPECT_EQ(NameAt(*mixamo, kLeftUpperLeg), "LeftUpLeg");
  EXPECT_EQ(NameAt(*mixamo, kLeftLowerLeg), "LeftLeg");
  EXPECT_EQ(NameAt(*mixamo, kSpine), "Spine");
  EXPECT_EQ(NameAt(*mixamo, kChest), "Spine1");
}

TEST(Humanoid, FindsBonesThatGoByAnotherNaming) {
  const auto rig = RigOf({"HumanoidRoot", "vl5", "skullbase", "LeftHand", "Jaw"});
  EXPECT_EQ(NameAt(*rig, kHips), "HumanoidRoot");
  EXPECT_EQ(NameAt(*rig, kLeftHand), "LeftHand");
  EXPECT_EQ(NameAt(*rig, kJaw), "Jaw");
  EXPECT_EQ(rig->humanoid().BoneOf(2), kHead);
}

TEST(Humanoid, NoJointIsTwoBonesAndNoBoneTwoJoints) {
  // VRM 1 calls the thumb's first joint metacarpal and its second proximal, VRM 0 the first
  // proximal.
  const auto rig = RigOf({"hips", "leftThumbMetacarpal", "leftThumbProximal", "leftThumbDistal"});
  EXPECT_EQ(NameAt(*rig, kLeftThumbProximal), "leftThumbMetacarpal");
  EXPECT_EQ(NameAt(*rig, kLeftThumbIntermediate), "leftThumbProximal");
  EXPECT_EQ(NameAt(*rig, kLeftThumbDistal), "leftThumbDistal");
  EXPECT_EQ(NameAt(*RigOf({"a/Head", "b/Head", "Neck"}), kHead), "");
}

// A skeleton of two conventions is read by the one that knows more of it, and the names of the
// other do not mix in: its LeftShoulder would be an upper arm.
TEST(Humanoid, OneConventionNamesAllBones) {
  const auto rig = RigOf({"Hips", "Spine", "Spine1", "Neck", "Head", "LeftShoulder", "LeftArm",
                          "LeftForeArm", "LeftHand", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftKnee",
                          "LeftElbow", "LeftCollar"});
  EXPECT_EQ(rig->humanoid().convention(), "mixamo");
  EXPECT_EQ(NameAt(*rig, kLeftShoulder), "LeftShoulder");
  EXPECT_EQ(NameAt(*rig, kLeftLowerArm), "LeftForeArm");
  EXPECT_EQ(NameAt(*rig, kLeftLowerLeg), "LeftLeg");
  const auto classic = RigOf({"Hips", "Chest", "Neck", "Head", "LeftCollar", "LeftShoulder",
                              "LeftElbow", "LeftWrist", "LeftHip", "LeftKnee", "LeftAnkle"});
  EXPECT_EQ(classic->humanoid().convention(), "bvh");
  EXPECT_EQ(NameAt(*classic, kLeftShoulder), "LeftCollar");
  EXPECT_EQ(NameAt(*classic, kLeftUpperArm), "LeftShoulder");
  EXPECT_EQ(NameAt(*classic, kLeftUpperLeg), "LeftHip");
}

// Words help out where a convention says nothing, but only in the right place of the tree.
TEST(Humanoid, AWordInTheWrongPlaceIsNoBone) {
  RigParts parts;
  parts.name = "costume";
  parts.stance = Stance::kAsItStands;
  const std::string spine = "Hips/Spine/Spine1", arm = spine + "/LeftShoulder/LeftArm";
  parts.joint_paths = {
      "Hips", "Hips/Spine", spine, spine + "/Neck", spine + "/Neck/Head", spine + "/LeftShoulder",
      arm, arm + "/LeftForeArm", arm + "/LeftForeArm/LeftHand",
      // A skirt's bone, and a toe where toes are.
      "Hips/calf.R", "Hips/LeftUpLeg", "Hips/LeftUpLeg/LeftLeg", "Hips/LeftUpLeg/LeftLeg/LeftFoot",
      "Hips/LeftUpLeg/LeftLeg/LeftFoot/toes_l", "Hips/RightUpLeg"};
  parts.rest_translations.resize(parts.joint_paths.size());
  const auto rig = *Rig::Make(std::move(parts));
  EXPECT_EQ(rig->humanoid().joint(kRightLowerLeg), -1);
  EXPECT_EQ(rig->humanoid().joint(kLeftToes), 13);
}

// A thigh of two joints turns as both do.
TEST(Humanoid, ABoneEndsAtTheJointThatCarriesTheNext) {
  RigParts parts;
  parts.name = "genesis";
  const std::string leg = "hip/pelvis/lThighBend";
  parts.joint_paths = {"hip",
                       "hip/pelvis",
                       leg,
                       leg + "/lThighTwist",
                       leg + "/lThighTwist/lShin",
                       leg + "/lThighTwist/lShin/lFoot",
                       leg + "/lThighTwist/helper"};
  parts.rest_translations.resize(parts.joint_paths.size());
  const auto rig = *Rig::Make(std::move(parts));
  EXPECT_EQ(rig->humanoid().joint(kLeftUpperLeg), 2);
  EXPECT_EQ(rig->humanoid().end(kLeftUpperLeg), 3);
  EXPECT_EQ(rig->humanoid().end(kLeftLowerLeg), 4);
  EXPECT_EQ(rig->humanoid().end(kHips), 0);
  EXPECT_EQ(rig->humanoid().end(kRightUpperLeg), -1);
}

TEST(Humanoid, IsEmptyForWhatIsNoHuman) {
  const auto rig = RigOf({"Tail", "Wing"});
  for (int b = 0; b < kHumanBones; ++b) {
    EXPECT_EQ(rig->humanoid().joint(static_cast<HumanBone>(b)), -1);
  }
  EXPECT_EQ(rig->humanoid().FirstOf({kNeck, kHead}), -1);
  EXPECT_EQ(rig->humanoid().BoneOf(0), std::nullopt);
  EXPECT_EQ(rig->humanoid().BoneOf(-1), std::nullopt);
}

// The names that the source table gives to Unity's bones, where it is at hand.
TEST(Humanoid, AgreesWithTheTableOfUnitysBones) {
  std::ifstream file = Shared("spec/unity_humanbodybones.csv");
  if (!file) GTEST_SKIP() << "no source table";
  std::map<std::string, std::vector<std::string>> namings;  // by column, in the order of bones
  std::vector<std::string> columns;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> f = absl::StrSplit(line, ',');
    if (columns.empty())
      columns = f;
    else
      for (size_t c = 0; c < 12; ++c) namings[columns[c]].push_back(f[c]);
  }
  ASSERT_EQ(namings["unity_name"].size(), size_t{kUnityBones});
  for (const char* naming : {"unity_name", "vrm0_bone", "vrm1_bone", "hanim_v1", "hanim_v2",
                             "ace_joint", "mixamo", "smplx"}) {
    std::vector<std::string> names;
    for (const std::string& name : namings[naming]) {
      if (!name.empty()) names.push_back(name);
    }
    const auto rig = RigOf(names);
    for (int b = 0; b < kUnityBones; ++b) {
      EXPECT_EQ(NameAt(*rig, static_cast<HumanBone>(b)), namings[naming][static_cast<size_t>(b)])
          << naming << " " << namings["unity_name"][static_cast<size_t>(b)];
    }
  }
}

// Rigs as others made them, where they are at hand.
TEST(Humanoid, FindsAllOfAMixamoCapture) {
  std::ifstream file = Shared("data/freebvh.bvh");
  if (!file) GTEST_SKIP() << "no capture";
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.size() == 2 && (words[0] == "ROOT" || words[0] == "JOINT")) names.push_back(words[1]);
  }
  ASSERT_EQ(names.size(), 55u);
  const auto rig = RigOf(names);
  for (int j = 0; j < rig->joints(); ++j) {
    EXPECT_TRUE(rig->humanoid().BoneOf(j)) << names[static_cast<size_t>(j)];
  }
  EXPECT_EQ(NameAt(*rig, kLeftUpperLeg), "mixamorig:LeftUpLeg");
  EXPECT_EQ(NameAt(*rig, kLeftLowerLeg), "mixamorig:LeftLeg");
  EXPECT_EQ(NameAt(*rig, kLeftIndexProximal), "mixamorig:LeftHandIndex1");
  EXPECT_EQ(NameAt(*rig, kHeadTip), "mixamorig:HeadTop_End");
}

TEST(Humanoid, FindsTheBonesOfAnHAnimModel) {
  std::ifstream file = Shared("data/JoeHAnimKick1a.x3d");
  if (!file) GTEST_SKIP() << "no model";
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::vector<std::string> names;
  for (size_t at = 0; (at = text.find("<HAnimJoint", at)) != std::string::npos;) {
    const size_t end = text.find('>', at), name = text.find("name='", at);
    if (name < end) names.push_back(text.substr(name + 6, text.find('\'', name + 6) - name - 6));
    at = end;
  }
  ASSERT_GT(names.size(), 80u);
  const auto rig = RigOf(names);
  for (const HumanBone bone : {kHips, kSpine, kUpperChest, kNeck, kHead, kLeftEye, kLeftHand,
                               kRightFoot, kRightLittleDistal}) {
    EXPECT_GE(rig->humanoid().joint(bone), 0) << NameOf(bone);
  }
}

}  // namespace
}  // namespace posewire::skel
