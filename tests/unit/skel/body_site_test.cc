#include "libs/skel/body_site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace posewire::skel {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const Rig> Builtin(const char* name) { return *RigCatalog::Builtin()->Find(name); }

Placement AtRest(const Rig& rig, const char* name) {
  const auto site = FindBodySite(rig, name);
  EXPECT_TRUE(site.ok()) << name << ": " << site.status();
  return site.ok() ? PlaceOf(rig, rig.rest(), *site) : Placement{};
}

TEST(BodySite, IsWhereItsNameSaysOnEveryRigOfAPerson) {
  for (const char* name : {"hanim_loa1", "hanim_loa2", "hanim_loa3", "ace_biped", "vrm"}) {
    const auto rig = Builtin(name);
    SCOPED_TRACE(name);
    const Placement head = AtRest(*rig, "head"), back = AtRest(*rig, "back");
    const int neck = rig->humanoid().joint(HumanBone::kHead);
    const float above = head.at.y - PlaceOf(*rig, rig->rest(), neck).at.y;
    EXPECT_GT(above, 0.1f);
    EXPECT_LT(above, 0.25f);
    EXPECT_NEAR(head.at.x, 0, 1e-4f) << "in the middle";
    EXPECT_LT(AngleBetween(head.turn, {}), 1e-3f) << "upright, to the front";
    EXPECT_LT(back.at.z, PlaceOf(*rig, rig->rest(), neck).at.z - 0.05f) << "behind";
    EXPECT_GT(back.at.y, 0.6f * head.at.y);
    EXPECT_LT(back.at.y, 0.85f * head.at.y);
    EXPECT_LT(AngleBetween(back.turn, {}), 1e-3f);
    for (int side = 0; side < 2; ++side) {
      const HandGrip grip = GripOf(*rig, side);
      if (!grip.complete()) continue;
      const Placement hand = AtRest(*rig, side == 0 ? "left_hand" : "right_hand");
      const Placement held = PlaceOfGrip(*rig, rig->rest(), grip);
      EXPECT_LT(Length(hand.at - held.at), 1e-5f);
      EXPECT_LT(AngleBetween(hand.turn, held.turn), 1e-3f);
      const Placement wrist = AtRest(*rig, side == 0 ? "left_wrist" : "right_wrist");
      EXPECT_LT(Length(wrist.at - PlaceOf(*rig, rig->rest(), grip.wrist).at), 1e-5f);
      EXPECT_LT(AngleBetween(wrist.turn, held.turn), 1e-3f);
    }
    AtRest(*rig, "hips");
  }
}

TEST(BodySite, MovesWithItsJoint) {
  const auto rig = Builtin("hanim_loa3");
  const auto site = FindBodySite(*rig, "head");
  ASSERT_TRUE(site.ok());
  Pose pose(rig->joints(), rig->shapes());
  pose.span().CopyFrom(rig->rest());
  const int skull = rig->humanoid().joint(HumanBone::kHead);
  const Quat nod = FromAxisAngle({1, 0, 0}, 0.5f);
  TurnInModel(*rig, skull, nod, pose.span());
  const Placement before = PlaceOf(*rig, rig->rest(), *site);
  const Placement after = PlaceOf(*rig, pose.view(), *site);
  EXPECT_LT(AngleBetween(after.turn, nod), 1e-3f);
  const Vec3 joint = PlaceOf(*rig, rig->rest(), skull).at;
  EXPECT_LT(Length(after.at - (joint + Rotate(nod, before.at - joint))), 1e-4f);
}

TEST(BodySite, FindsJointsAndSitesOfTheRigAndListsThem) {
  const auto rig = Builtin("hanim_loa3");
  const Placement knee = AtRest(*rig, "l_knee");
  EXPECT_LT(Length(knee.at - PlaceOf(*rig, rig->rest(), rig->FindJoint("l_knee")).at), 1e-5f);
  EXPECT_LT(AngleBetween(knee.turn, {}), 1e-3f);
  EXPECT_GT(AtRest(*rig, "nuchale_pt").at.y, 1.5f);
  const auto unknown = FindBodySite(*rig, "haed");
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(unknown.status().message()), HasSubstr("head"));
}

TEST(BodySite, ARigWithoutThatPartSaysSo) {
  const auto root = Builtin("hanim_loa0");
  for (const char* name : {"head", "back", "left_hand", "right_wrist"}) {
    const auto site = FindBodySite(*root, name);
    EXPECT_EQ(site.status().code(), absl::StatusCode::kFailedPrecondition) << name;
    EXPECT_THAT(std::string(site.status().message()), HasSubstr("hanim_loa0 has no"));
  }
}

}  // namespace
}  // namespace posewire::skel
