#include "libs/skel/body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/skel/model_place.h"
#include "tests/unit/skel/helpers.h"

namespace posewire::skel {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// The rig vrm, whose joints are unturned at rest, with all places turned and scaled.
RigParts PlacedBody(Quat turn, float unit) {
  RigParts parts = BuiltinRig("vrm")->parts();
  parts.stance = Stance::kAsItStands;
  for (Vec3& at : parts.rest_translations) at = Rotate(turn, at) * unit;
  return parts;
}

TEST(StandingOf, FindsUpAndFrontAmongQuarterTurns) {
  for (int up = 0; up < 4; ++up) {
    for (int side = 0; side < 4; ++side) {
      for (int yaw = 0; yaw < 4; ++yaw) {
        const Quat placed = Mul(FromAxisAngle({1, 0, 0}, static_cast<float>(up) * kPi / 2),
                                Mul(FromAxisAngle({0, 0, 1}, static_cast<float>(side) * kPi / 2),
                                    FromAxisAngle({0, 1, 0}, static_cast<float>(yaw) * kPi / 2)));
        const Standing standing = StandingOf(**Rig::Make(PlacedBody(placed, 100)));
        ASSERT_TRUE(standing.known);
        EXPECT_LT(AngleBetween(standing.upright, Conjugate(placed)), 1e-3f);
        EXPECT_NEAR(standing.height, 177, 10);
      }
    }
  }
}

TEST(StandingOf, TurnsOneWhoLooksBetweenTheAxes) {
  for (const float degrees : {-40.0f, -20.0f, 2.0f, 30.0f, 44.0f, 70.0f}) {
    const Quat placed = FromAxisAngle({0, 1, 0}, degrees * kDeg);
    const Standing standing = StandingOf(**Rig::Make(PlacedBody(placed, 1)));
    ASSERT_TRUE(standing.known);
    const Quat want = degrees == 2.0f ? Quat{} : Conjugate(placed);
    EXPECT_LT(AngleBetween(standing.upright, want), 1e-3f) << degrees;
  }
}

TEST(StandingOf, IsUnknownWhereHeadAndFeetPointTheSameWay) {
  RigParts parts = PlacedBody({}, 1);
  for (size_t j = 0; j < parts.joint_paths.size(); ++j) {
    parts.rest_translations[j] = {Length(parts.rest_translations[j]), 0, 0};
  }
  EXPECT_FALSE(StandingOf(**Rig::Make(std::move(parts))).known);
}

TEST(Turned, StandsUprightInMetresAndOnTheGround) {
  const Quat placed = FromAxisAngle({1, 0, 0}, kPi / 2);  // along +Z
  RigParts parts = PlacedBody(placed, 100);
  parts.rest_translations[0] = {};
  const auto rig = *Rig::Make(std::move(parts));
  const auto turned = Turned(*rig, StandingOf(*rig).upright, 0.01f);
  ASSERT_NE(turned, nullptr);
  ASSERT_EQ(turned->joints(), rig->joints() + 1);
  float low = 10;
  for (int j = 0; j < turned->joints(); ++j)
    low = std::min(low, PlaceOf(*turned, turned->rest(), j).at.y);
  EXPECT_NEAR(low, 0, 1e-4f);
  const Rig& vrm = *BuiltinRig("vrm");
  for (const HumanBone bone : {HumanBone::kHead, HumanBone::kLeftHand, HumanBone::kRightFoot}) {
    const auto at = [&](const Rig& of) {
      return PlaceOf(of, of.rest(), of.humanoid().joint(bone)).at -
             PlaceOf(of, of.rest(), of.humanoid().joint(HumanBone::kHips)).at;
    };
    EXPECT_LT(Length(at(*turned) - at(vrm)), 1e-3f) << NameOf(bone);
  }
}

TEST(Turned, HangsAbsolutePathsOnItsRootToo) {
  RigParts parts;
  parts.name = "odd";
  parts.joint_paths = {"/Root", "/Root/Hips"};
  parts.rest_translations.resize(2);
  const auto rig = *Rig::Make(std::move(parts));
  const auto turned = Turned(*rig, {}, 1);
  ASSERT_NE(turned, nullptr);
  EXPECT_EQ(turned->topology().parent(1), 0);
  EXPECT_EQ(turned->topology().parent(2), 1);
}

TEST(MissingBones, NamesLimbsAndTheirParts) {
  EXPECT_EQ(MissingBones(*BuiltinRig("vrm")), "");
  EXPECT_EQ(MissingBones(*BuiltinRig("ace_biped")), "");
  RigParts parts = BuiltinRig("vrm")->parts();
  for (std::string& path : parts.joint_paths) {
    path = absl::StrReplaceAll(path, {{"RightLowerLeg", "x1"},
                                      {"LeftShoulder", "x2"},
                                      {"LeftUpperArm", "x3"},
                                      {"LeftLowerArm", "x4"},
                                      {"LeftHand", "x5"},
                                      {"Head", "x6"}});
  }
  parts.joint_aliases.clear();
  const auto rig = *Rig::Make(std::move(parts));
  EXPECT_EQ(MissingBones(*rig), "head; left arm; right leg (lower leg)");
  EXPECT_THAT(FoundBones(*rig), Contains(HasSubstr("right arm: Shoulder = RightShoulder, ")));
}

TEST(UprightFrom, BringsEachAxisUp) {
  const std::pair<const char*, Vec3> axes[] = {{"x", {1, 0, 0}},  {"-x", {-1, 0, 0}},
                                               {"y", {0, 1, 0}},  {"-y", {0, -1, 0}},
                                               {"+z", {0, 0, 1}}, {"-Z", {0, 0, -1}}};
  for (const auto& [name, axis] : axes) {
    ASSERT_TRUE(UprightFrom(name)) << name;
    EXPECT_NEAR(Rotate(*UprightFrom(name), axis).y, 1, 1e-6f) << name;
  }
  EXPECT_FALSE(UprightFrom("up"));
  EXPECT_TRUE(CheckUp("auto").ok());
  EXPECT_THAT(std::string(CheckUp("w").message()), HasSubstr("\"w\" is no axis; use x, y"));
}

TEST(LengthOfUnit, KnowsWordsAndNumbers) {
  EXPECT_EQ(LengthOfUnit("cm"), 0.01f);
  EXPECT_EQ(LengthOfUnit("0.5"), 0.5f);
  for (const char* wrong : {"", "0", "-1", "inf", "nan", "metre", "1e-30", "1e30"}) {
    EXPECT_FALSE(LengthOfUnit(wrong)) << wrong;
    EXPECT_FALSE(CheckUnit(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace posewire::skel
