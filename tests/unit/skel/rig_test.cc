#include "libs/skel/rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/unit/skel/helpers.h"

namespace posewire::skel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RigCatalog Catalog(absl::string_view shapes = "arkit52") {
  absl::StatusOr<RigCatalog> catalog = RigCatalog::Builtin(shapes);
  EXPECT_TRUE(catalog.ok()) << catalog.status();
  return *catalog;
}

// Rest position of a joint in model space, walked up joint by joint; rest rotations are identity.
Vec3 RestPosition(const Rig& rig, absl::string_view leaf) {
  Vec3 at;
  for (int j = rig.FindJoint(leaf); j >= 0; j = rig.topology().parent(j)) {
    EXPECT_FLOAT_EQ(rig.rest().rotation(j).w, 1);
    at = at + rig.rest().translation(j);
  }
  return at;
}

std::string MessageOf(absl::string_view text) {
  const absl::StatusOr<std::shared_ptr<const Rig>> rig = Rig::Parse(text);
  EXPECT_FALSE(rig.ok());
  EXPECT_EQ(rig.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(rig.status().message());
}

TEST(RigCatalog, HoldsTheBuiltinRigsWithTheirSizes) {
  const RigCatalog catalog = Catalog();
  EXPECT_THAT(catalog.names(),
              testing::ElementsAre("hanim_loa1", "hanim_loa2", "hanim_loa3", "hanim_loa4",
                                   "ace_biped", "vrm", "hanim_loa0"));
  const std::vector<int> joints = {18, 71, 94, 146, 78, 55, 1};
  for (size_t i = 0; i < joints.size(); ++i) {
    const std::shared_ptr<const Rig> rig = *catalog.Find(catalog.names()[i]);
    EXPECT_EQ(rig->joints(), joints[i]) << rig->name();
    EXPECT_EQ(rig->shapes(), 52);
    EXPECT_TRUE(rig->topology().Validate().ok());
    EXPECT_EQ(rig->topology().parent(0), -1);
    for (int j = 1; j < rig->joints(); ++j) {
      EXPECT_GE(rig->topology().parent(j), 0) << rig->joint_names()[static_cast<size_t>(j)];
    }
  }
}

TEST(RigCatalog, OffersTheTongueShapes) {
  const RigCatalog catalog = Catalog("arkit68");
  const std::shared_ptr<const Rig> rig = *catalog.Find("hanim_loa3");
  EXPECT_EQ(rig->shapes(), 68);
  EXPECT_EQ(rig->FindShape("TongueOut"), 51);
  EXPECT_EQ(rig->FindShape("tonguetipup"), 52);
  EXPECT_EQ(rig->FindShape("TONGUENARROW"), 67);
  EXPECT_FALSE(RigCatalog::Builtin("arkit53").ok());
}

TEST(RigCatalog, NamesTheKnownRigsWhenOneIsMissing) {
  const auto rig = Catalog().Find("hanim_loa9");
  EXPECT_EQ(rig.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(rig.status().message()), HasSubstr("hanim_loa3, hanim_loa4, ace_biped"));
}

TEST(RigCatalog, AddsARigButNotUnderATakenName) {
  RigCatalog catalog = Catalog();
  EXPECT_TRUE(catalog.Add(*Rig::Parse("rig mine\njoint A - 0 0 0\n")).ok());
  EXPECT_TRUE(catalog.Find("mine").ok());
  EXPECT_EQ(catalog.Add(*Rig::Parse("rig vrm\njoint A - 0 0 0\n")).code(),
            absl::StatusCode::kAlreadyExists);
}

TEST(BuiltinRigs, HAnimStandsWithArmsDown) {
  for (const char* name : {"hanim_loa1", "hanim_loa2", "hanim_loa3", "hanim_loa4"}) {
    const std::shared_ptr<const Rig> rig = BuiltinRig(name);
    EXPECT_EQ(rig->stance(), Stance::kArmsDown);
    const Vec3 hand = RestPosition(*rig, "l_wrist");
    const Vec3 hip = RestPosition(*rig, "l_hip");
    EXPECT_NEAR(hand.x, 0.1984f, 1e-5) << name;
    EXPECT_NEAR(hand.y, 0.8663f, 1e-5);
    EXPECT_NEAR(hand.z, -0.0583f, 1e-5);
    EXPECT_LT(std::fabs(hand.y - hip.y), 0.06f);
    EXPECT_GT(hand.x, hip.x);
    EXPECT_NEAR(RestPosition(*rig, "skullbase").y, 1.6209f, 1e-4);
  }
}

TEST(RigFile, ReadsHowStiffJointsAre) {
  constexpr char kRig[] = "rig mine\njoint A - 0 0 0\njoint A/B - 0 1 0\n";
  EXPECT_TRUE((*Rig::Parse(kRig))->stiffness().empty());
  const auto rig = *Rig::Parse(absl::StrCat(kRig, "stiffness B 0.25 1 0\n"));
  ASSERT_EQ(rig->stiffness().size(), 2u);
  EXPECT_EQ(rig->stiffness()[0].y, 0);
  EXPECT_EQ(rig->stiffness()[1].x, 0.25f);
  EXPECT_EQ(rig->stiffness()[1].y, 1);
  for (const char* wrong : {"stiffness B 0.2 1.5 0\n", "stiffness B 0 -1 0\n"}) {
    const auto rejected = Rig::Parse(absl::StrCat(kRig, wrong)).status();
    EXPECT_THAT(std::string(rejected.message()), HasSubstr("line 4: the stiffness")) << wrong;
  }
  EXPECT_FALSE(Rig::Parse(absl::StrCat(kRig, "stiffness B 1 1\n")).ok());
  EXPECT_FALSE(Rig::Parse(absl::StrCat(kRig, "stiffness C 1 1 1\n")).ok());
}

TEST(BuiltinRigs, KnowHowStiffASpineIs) {
  for (const char* name : {"hanim_loa1", "hanim_loa2", "hanim_loa3", "hanim_loa4"}) {
    const std::shared_ptr<const Rig> rig = BuiltinRig(name);
    ASSERT_FALSE(rig->stiffness().empty()) << name;
    const Vec3 low = rig->stiffness()[static_cast<size_t>(rig->FindJoint("vl5"))];
    EXPECT_LT(low.x, low.y);  // it bends more willingly than it twists
    EXPECT_EQ(rig->stiffness()[static_cast<size_t>(rig->FindJoint("l_elbow"))].x, 0);
  }
}

TEST(BuiltinRigs, AceAndVrmStandInTPoseOnTheFloor) {
  const std::shared_ptr<const Rig> ace = BuiltinRig("ace_biped");
  EXPECT_EQ(ace->stance(), Stance::kTPose);
  const Vec3 hand = RestPosition(*ace, "LeftHand"), arm = RestPosition(*ace, "LeftArm");
  EXPECT_NEAR(hand.y, arm.y, 1e-4);
  EXPECT_NEAR(hand.x, 0.7236f, 1e-4);
  EXPECT_LT(RestPosition(*ace, "RightHand").x, -0.72f);
  EXPECT_NEAR(RestPosition(*ace, "LeftToeEnd").y, 0, 1e-3);
  EXPECT_GT(RestPosition(*ace, "LeftToeEnd").z, RestPosition(*ace, "LeftFoot").z + 0.1f);

  const std::shared_ptr<const Rig> vrm = BuiltinRig("vrm");
  EXPECT_EQ(vrm->stance(), Stance::kTPose);
  const Vec3 same = RestPosition(*vrm, "LeftLittleDistal");
  const Vec3 want = RestPosition(*ace, "LeftHandPinky4");
  EXPECT_NEAR(Length(same - want), 0, 1e-4);
}

TEST(BuiltinRigs, HAnimIsAMirrorOfItself) {
  for (const char* name : {"hanim_loa1", "hanim_loa2", "hanim_loa3", "hanim_loa4"}) {
    const std::shared_ptr<const Rig> rig = BuiltinRig(name);
    int pairs = 0;
    for (const std::string& leaf : rig->joint_names()) {
      if (leaf.rfind("l_", 0) != 0) continue;
      const Vec3 l = RestPosition(*rig, leaf),
                 r = RestPosition(*rig, absl::StrCat("r_", leaf.substr(2)));
      EXPECT_GT(l.x, 0) << leaf;
      EXPECT_NEAR(l.x, -r.x, 2e-5) << leaf;
      EXPECT_NEAR(l.y, r.y, 2e-5) << leaf;
      EXPECT_NEAR(l.z, r.z, 2e-5) << leaf;
      ++pairs;
    }
    EXPECT_GE(pairs, 7) << name;
  }
}

TEST(BuiltinRigs, LevelsOfArticulationAgreeOnEveryJointTheyShare) {
  const std::shared_ptr<const Rig> full = BuiltinRig("hanim_loa4");
  for (const char* name : {"hanim_loa1", "hanim_loa2", "hanim_loa3"}) {
    const std::shared_ptr<const Rig> rig = BuiltinRig(name);
    for (const std::string& leaf : rig->joint_names()) {
      ASSERT_GE(full->FindJoint(leaf), 0) << leaf;
      EXPECT_NEAR(Length(RestPosition(*rig, leaf) - RestPosition(*full, leaf)), 0, 5e-5) << leaf;
    }
    for (const Site& site : rig->sites()) EXPECT_LT(Length(site.offset), 0.8f) << site.name;
  }
}

TEST(BuiltinRigs, SitesLieWhereTheBodyEnds) {
  const std::shared_ptr<const Rig> rig = BuiltinRig("hanim_loa3");
  bool seen = false;
  for (const Site& site : rig->sites()) {
    if (site.name != "skull_tip") continue;
    seen = true;
    const Vec3 at =
        RestPosition(*rig, rig->joint_names()[static_cast<size_t>(site.joint)]) + site.offset;
    EXPECT_NEAR(at.y, 1.7504f, 1e-4);
  }
  EXPECT_TRUE(seen);
}

// A camera looks along its site's +Z.
TEST(BuiltinRigs, ViewsLookWhereTheirNamesSay) {
  for (int loa = 0; loa <= 4; ++loa) {
    const std::shared_ptr<const Rig> rig = BuiltinRig(absl::StrCat("hanim_loa", loa));
    int views = 0;
    for (const Site& site : rig->sites()) {
      if (!absl::EndsWith(site.name, "_view")) continue;
      ++views;
      ASSERT_TRUE(site.rotation.has_value()) << site.name;
      const Vec3 way = Rotate(*site.rotation, {0, 0, 1});
      if (absl::StrContains(site.name, "eye")) {
        EXPECT_NEAR(way.z, 1, 1e-6) << site.name << ", which looks ahead";
        continue;
      }
      // From half a metre in front of the hand, to its middle below the wrist.
      const Vec3 wrist =
          loa == 0 ? site.offset - Vec3{site.offset.x > 0 ? 0.1016f : -0.1016f, -0.1163f, 0.5083f}
                   : Vec3{};
      const Vec3 hand = wrist + Vec3{0, -0.085f, -0.005f};
      EXPECT_NEAR(Dot(way, Normalized(hand - site.offset)), 1, 1e-5) << site.name;
      EXPECT_GT(Rotate(*site.rotation, {0, 1, 0}).y, 0.99f) << "upright";
    }
    EXPECT_EQ(views, 4) << rig->name();
  }
}

TEST(BuiltinRigs, FindsJointsByBothVersionsOfTheName) {
  const std::shared_ptr<const Rig> rig = BuiltinRig("hanim_loa3");
  EXPECT_EQ(rig->FindJoint("l_wrist"), rig->FindJoint("l_radiocarpal"));
  EXPECT_EQ(rig->FindJoint("humanoid_root"), 0);
  EXPECT_EQ(rig->FindJoint("HumanoidRoot"), 0);
  EXPECT_EQ(rig->FindJoint("nobody"), -1);
  EXPECT_EQ(BuiltinRig("vrm")->FindJoint("leftUpperArm"),
            BuiltinRig("vrm")->FindJoint("LeftUpperArm"));
}

// Turns one joint within its limits and looks where the joint below it goes.
TEST(BuiltinRigs, LimitsLetElbowsAndKneesBendOnlyTheirOwnWay) {
  const std::shared_ptr<const Rig> rig = BuiltinRig("hanim_loa3");
  const auto tip = [&](const char* below, float angle_rad) {
    const int b = rig->FindJoint(below);
    return Rotate(FromAxisAngle({1, 0, 0}, angle_rad), rig->rest().translation(b));
  };
  const auto limit = [&](const char* joint) {
    return rig->limits()[static_cast<size_t>(rig->FindJoint(joint))];
  };
  const Vec3 hand = tip("l_wrist", -kPi / 2);
  EXPECT_GT(hand.z, 0.25f);
  EXPECT_LT(limit("l_elbow").min.x, -2.3f);
  EXPECT_LT(limit("l_elbow").max.x, 0.1f);
  // Bent and turned palm up at once, as at a table.
  const Vec3 bent = SwingTwist(Mul(FromAxisAngle({1, 0, 0}, -kPi / 2),  //
                                   FromAxisAngle({0, 1, 0}, kPi / 3)));
  EXPECT_NEAR(bent.x, -kPi / 2, 1e-5);
  EXPECT_NEAR(bent.y, kPi / 3, 1e-5);
  EXPECT_LT(bent.y, limit("l_elbow").max.y);
  EXPECT_NEAR(bent.z, 0, 1e-5);
  EXPECT_LT(limit("l_elbow").max.z, 0.15f);
  const Vec3 foot = tip("l_ankle", kPi / 2);
  EXPECT_LT(foot.z, -0.4f);
  EXPECT_GE(limit("l_knee").min.x, 0.f);
  EXPECT_GT(limit("l_knee").max.x, 2.3f);
  // Arms go out to their own side: about +Z on the left, -Z on the right.
  EXPECT_GT(limit("l_shoulder").max.z, 2.5f);
  EXPECT_LT(limit("r_shoulder").min.z, -2.5f);
  EXPECT_FLOAT_EQ(limit("l_shoulder").max.z, -limit("r_shoulder").min.z);
}

TEST(BuiltinRigs, EveryHAnimJointHasALimitAroundRest) {
  for (const char* name : {"hanim_loa1", "hanim_loa2", "hanim_loa3", "hanim_loa4"}) {
    const std::shared_ptr<const Rig> rig = BuiltinRig(name);
    ASSERT_EQ(static_cast<int>(rig->limits().size()), rig->joints());
    for (const JointLimit& limit : rig->limits()) {
      EXPECT_LE(limit.min.x, 0);
      EXPECT_GE(limit.max.x, 0);
      EXPECT_LE(limit.min.y, 0);
      EXPECT_GE(limit.max.y, 0);
      EXPECT_LE(limit.min.z, 0);
      EXPECT_GE(limit.max.z, 0);
      EXPECT_GE(limit.min.x, -kPi - 1e-5f);
      EXPECT_LE(limit.max.z, kPi + 1e-5f);
    }
  }
}

TEST(Rig, RestHasEveryElement) {
  const std::shared_ptr<const Rig> rig = BuiltinRig("hanim_loa3");
  const PoseView rest = rig->rest();
  for (int j = 0; j < rest.joints; ++j) {
    EXPECT_EQ(rest.has_t[j] + rest.has_r[j] + rest.has_s[j], 3);
    EXPECT_FLOAT_EQ(rest.scale(j).y, 1);
  }
  for (int s = 0; s < rest.shapes; ++s) {
    EXPECT_EQ(rest.has_w[s], 1);
    EXPECT_FLOAT_EQ(rest.weights[s], 0);
  }
}

TEST(Rig, ParsesEveryKindOfLine) {
  const auto rig = Rig::Parse(R"(# a small rig
rig small   # with a remark
stance t_pose
joint A top 0 1 0
joint A/B -  0.5 0 0  0.70710678 0 0 0.70710678
shapes arkit52
shape extra
limit B -90 0 0 10 0 0
limit A 0 0 0 0 0 0
site tip B 0.1 0 0
site eye A/B 0 0 0.2 0 0 1 0
)");
  ASSERT_TRUE(rig.ok()) << rig.status();
  EXPECT_EQ((*rig)->name(), "small");
  EXPECT_EQ((*rig)->stance(), Stance::kTPose);
  EXPECT_EQ((*rig)->FindJoint("top"), 0);
  EXPECT_EQ((*rig)->shapes(), 53);
  EXPECT_NEAR((*rig)->rest().rotation(1).z, std::sqrt(0.5f), 1e-6);
  EXPECT_NEAR((*rig)->limits()[1].min.x, -kPi / 2, 1e-6);
  EXPECT_EQ((*rig)->sites()[0].joint, 1);
  EXPECT_FALSE((*rig)->sites()[0].rotation);
  EXPECT_EQ((*rig)->sites()[1].offset.z, 0.2f);
  ASSERT_TRUE((*rig)->sites()[1].rotation);
  EXPECT_EQ((*rig)->sites()[1].rotation->y, 1);
}

TEST(Rig, JointsOfOneLastElementAreToldApartByTheirPaths) {
  const auto rig = Rig::Parse(R"(rig hands
joint Body - 0 1 0
joint Body/L left 0.5 0 0
joint Body/L/Finger - 0.1 0 0
joint Body/R right -0.5 0 0
joint Body/R/Finger - -0.1 0 0
site tip L/Finger 0.02 0 0
)");
  ASSERT_TRUE(rig.ok()) << rig.status();
  EXPECT_THAT((*rig)->joint_names(), ElementsAre("Body", "L", "L/Finger", "R", "R/Finger"));
  EXPECT_EQ((*rig)->FindJoint("Body/R/Finger"), 4);
  EXPECT_EQ((*rig)->FindJoint("R/Finger"), 4);
  EXPECT_EQ((*rig)->FindJoint("Finger"), -1);
  EXPECT_EQ((*rig)->FindJoint("Root/left"), 1);
  EXPECT_EQ((*rig)->topology().parent(4), 3);
  EXPECT_EQ((*rig)->sites()[0].joint, 2);
  EXPECT_THAT(MessageOf("rig a\njoint L - 0 0 0\njoint L/F - 0 0 0\njoint R - 0 0 0\n"
                        "joint R/F - 0 0 0\nsite tip F 0 0 0\n"),
              HasSubstr("line 6: joint \"F\" means several joints: write more of the path"));
}

TEST(Rig, ParseErrorsCarryTheLineAndWhatIsRight) {
  EXPECT_THAT(MessageOf("rig a\nbone B - 0 0 0\n"),
              HasSubstr("line 2: \"bone\" is unknown: use rig"));
  EXPECT_THAT(MessageOf("rig a\njoint B - 0 0\n"), HasSubstr("line 2: wrong number of words"));
  EXPECT_THAT(MessageOf("rig a\njoint B - 0 zero 0\n"),
              HasSubstr("\"zero\" is not a finite number"));
  EXPECT_THAT(MessageOf("rig a\njoint B - 0 nan 0\n"), HasSubstr("not a finite number"));
  EXPECT_THAT(MessageOf("rig a\njoint B - 0 0 0 1 1 0 0\n"), HasSubstr("unit length"));
  EXPECT_THAT(MessageOf("rig a\nsite tip B 0 0 0\n"), HasSubstr("\"B\" is not one of the joints"));
  EXPECT_THAT(MessageOf("rig a\njoint B - 0 0 0\nlimit B 1 0 0 0 0 0\n"), HasSubstr("line 3: the"));
  EXPECT_THAT(MessageOf("rig a\nstance sitting\n"), HasSubstr("arms_down or stance t_pose"));
  EXPECT_THAT(MessageOf("rig a\nshapes arkit51\n"), HasSubstr("use arkit52 or arkit68"));
  EXPECT_THAT(MessageOf("rig a\nrig b\n"), HasSubstr("one rig"));
  EXPECT_THAT(MessageOf("joint B - 0 0 0\n"), HasSubstr("\"rig NAME\" is missing"));
  EXPECT_THAT(MessageOf("rig a\njoint A - 0 0 0\njoint A/B - 0 0 0\nlimit A 0 0 0 0 0 0\n"),
              HasSubstr("\"A/B\" has no limit"));
  EXPECT_THAT(MessageOf("rig a\njoint A - 0 0 0\nsite s A 0 0 0 1 1 0 0\n"),
              HasSubstr("line 3: the rotation is not of unit length"));
  EXPECT_THAT(MessageOf("rig a\nsite s A 0 0 0 1\n"), HasSubstr("[QW QX QY QZ]"));
}

TEST(Rig, RejectsPartsThatDoNotFit) {
  EXPECT_THAT(MessageOf("rig a\njoint A/B - 0 0 0\njoint A - 0 0 0\n"),
              HasSubstr("joint 0 \"A/B\" stands before its parent 1 \"A\""));
  EXPECT_THAT(MessageOf("rig a\njoint A - 0 0 0\njoint A - 0 0 0\n"),
              HasSubstr("joint 1 \"A\": another joint has that path"));
  EXPECT_THAT(MessageOf("rig a\nshape jawOpen\nshape JAWOPEN\n"), HasSubstr("shape 1 \"JAWOPEN\""));

  RigParts parts;
  parts.joint_paths = {"A", "B"};
  parts.rest_translations = {{}};
  EXPECT_THAT(std::string(Rig::Make(parts).status().message()),
              HasSubstr("rest_translations has 1 entries, expected 2"));
  parts.rest_translations = {{}, {}};
  parts.rest_rotations = {{}};
  EXPECT_FALSE(Rig::Make(parts).ok());
  parts.rest_rotations = {{}, {2, 0, 0, 0}};
  EXPECT_FALSE(Rig::Make(parts).ok());
  parts.rest_rotations = {};
  EXPECT_TRUE(Rig::Make(parts).ok());
  parts.sites = {{"tip", 2, {}}};
  EXPECT_FALSE(Rig::Make(parts).ok());
  parts.sites = {{"tip", 1, {}, Quat{2, 0, 0, 0}}};
  EXPECT_FALSE(Rig::Make(parts).ok());
}

TEST(Rig, BoundsTheNumberOfJointsAndShapes) {
  RigParts parts;
  for (int i = 0; i < 1024; ++i) parts.joint_paths.push_back(absl::StrCat("j", i));
  for (int i = 0; i < 512; ++i) parts.shapes.push_back(absl::StrCat("s", i));
  parts.rest_translations.resize(1024);
  EXPECT_TRUE(Rig::Make(parts).ok());
  RigParts shapes = parts;
  shapes.shapes.push_back("one_more");
  EXPECT_FALSE(Rig::Make(shapes).ok());
  parts.joint_paths.push_back("one_more");
  parts.rest_translations.resize(1025);
  EXPECT_FALSE(Rig::Make(parts).ok());
}

}  // namespace
}  // namespace posewire::skel
