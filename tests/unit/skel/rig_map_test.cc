#include "libs/skel/rig_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/skel/local_to_model_job.h"
#include "libs/skel/naming.h"
#include "tests/unit/skel/helpers.h"
#include "tests/unit/skel/random_pose.h"
#include "tests/unit/skel/same_pose.h"

namespace posewire::skel {
namespace {

using ::testing::HasSubstr;

RigMap MapBetween(absl::string_view from, absl::string_view to) {
  return *RigMap::Make(BuiltinRig(from), BuiltinRig(to));
}

const NamingConvention& ConventionOf(absl::string_view id) {
  for (const NamingConvention& convention : *BuiltinNamings()) {
    if (convention.id == id) return convention;
  }
  ADD_FAILURE() << "no convention " << id;
  return BuiltinNamings()->front();
}

struct Model {
  std::vector<Vec3> at;
  std::vector<Quat> turn;
};
Model ModelOf(const Rig& rig, const PoseView& pose) {
  const auto n = static_cast<size_t>(rig.joints());
  Model model{std::vector<Vec3>(n), std::vector<Quat>(n)};
  LocalToModelJob job{&rig, pose, absl::MakeSpan(model.at), absl::MakeSpan(model.turn), {}};
  EXPECT_TRUE(job.Run());
  return model;
}

// One joint of `from` turned, and what its partner makes of it.
Quat Carried(absl::string_view from, absl::string_view joint, Quat q, absl::string_view to,
             absl::string_view partner) {
  const RigMap map = MapBetween(from, to);
  Pose in(map.from()->joints(), map.from()->shapes()), out(map.to()->joints(), map.to()->shapes());
  in.span().SetRotation(map.from()->FindJoint(joint), q);
  map.Apply(in.view(), out.span());
  const int p = map.to()->FindJoint(partner);
  EXPECT_EQ(out.view().has_r[p], 1);
  return out.view().rotation(p);
}

TEST(RigMap, CarriesTheTPoseToArmsDown) {
  const Quat shoulder = Carried("ace_biped", "LeftArm", {}, "hanim_loa3", "l_shoulder");
  EXPECT_NEAR(AngleBetween(shoulder, FromAxisAngle({0, 0, 1}, kPi / 2)), 0, 1e-6);
  const Quat right = Carried("vrm", "RightUpperArm", {}, "hanim_loa3", "r_shoulder");
  EXPECT_NEAR(AngleBetween(right, FromAxisAngle({0, 0, 1}, -kPi / 2)), 0, 1e-6);
  const Quat down =
      Carried("vrm", "LeftUpperArm", {kRootOfHalf, 0, 0, -kRootOfHalf}, "hanim_loa3", "l_shoulder");
  EXPECT_NEAR(AngleBetween(down, {}), 0, 1e-6);
}

TEST(RigMap, CarriesAForwardElbowBend) {
  const Quat elbow = Carried("ace_biped", "LeftForeArm", {kRootOfHalf, 0, -kRootOfHalf, 0},
                             "hanim_loa3", "l_elbow");
  EXPECT_NEAR(AngleBetween(elbow, FromAxisAngle({-1, 0, 0}, kPi / 2)), 0, 1e-6);
  const Quat back = Carried("hanim_loa3", "l_elbow", elbow, "ace_biped", "LeftForeArm");
  EXPECT_NEAR(AngleBetween(back, {kRootOfHalf, 0, -kRootOfHalf, 0}), 0, 1e-6);
  const Quat right = Carried("ace_biped", "RightForeArm", {kRootOfHalf, 0, kRootOfHalf, 0},
                             "hanim_loa1", "r_elbow");
  EXPECT_NEAR(AngleBetween(right, FromAxisAngle({-1, 0, 0}, kPi / 2)), 0, 1e-6);
}

TEST(RigMap, ARestPoseStandsInTheOtherRigAsItsOwnStanceWould) {
  const RigMap map = MapBetween("ace_biped", "hanim_loa3");
  Pose out(94, 52);
  map.Apply(map.from()->rest(), out.span());
  const Model model = ModelOf(*map.to(), out.view());
  const auto at = [&](const char* name) {
    return model.at[static_cast<size_t>(map.to()->FindJoint(name))];
  };
  EXPECT_NEAR(at("l_wrist").y, at("l_shoulder").y, 0.05f);
  EXPECT_GT(at("l_wrist").x, at("l_shoulder").x + 0.5f);
  EXPECT_LT(at("r_wrist").x, at("r_shoulder").x - 0.5f);
  EXPECT_NEAR(Length(at("HumanoidRoot") - Vec3{0, 0.824f, 0.0277f}), 0, 1e-6);
}

// Every pair of rigs: partners are turned alike in model space up to the turn between the stances,
// whatever the joints without partners do.
TEST(RigMap, PartnersTurnAlikeInModelSpace) {
  RandomPoses random(12);
  const char* const names[] = {"hanim_loa1", "hanim_loa2", "hanim_loa3",
                               "hanim_loa4", "ace_biped",  "vrm"};
  for (const std::string from_name : names) {
    for (const std::string to_name : names) {
      const RigMap map = MapBetween(from_name, to_name);
      const Rig &from = *map.from(), &to = *map.to();
      const Pose in = random.Of(from.joints(), from.shapes());
      Pose out(to.joints(), to.shapes());
      map.Apply(in.view(), out.span());
      const Model a = ModelOf(from, in.view()), b = ModelOf(to, out.view());
      int pairs = 0;
      for (int n = 0; n < kHumanBones; ++n) {
        const auto bone = static_cast<HumanBone>(n);
        const int f = from.humanoid().joint(bone), t = to.humanoid().joint(bone);
        if (IsTip(bone) || f < 0 || t < 0) continue;
        ++pairs;
        const absl::string_view name = NameOf(bone);
        float angle = 0;
        for (const char* arm :
             {"UpperArm", "LowerArm", "Hand", "Thumb", "Index", "Middle", "Ring", "Little"}) {
          if (absl::StartsWith(name, absl::StrCat("Left", arm))) angle = kPi / 2;
          if (absl::StartsWith(name, absl::StrCat("Right", arm))) angle = -kPi / 2;
        }
        if (from.stance() == to.stance()) angle = 0;
        if (from.stance() == Stance::kArmsDown) angle = -angle;
        const Quat want = Mul(a.turn[static_cast<size_t>(f)], FromAxisAngle({0, 0, 1}, angle));
        EXPECT_LT(AngleBetween(want, b.turn[static_cast<size_t>(t)]), 1e-4f)
            << from_name << " " << to_name << " " << name;
        EXPECT_EQ(out.view().has_r[t], 1);
      }
      EXPECT_GE(pairs, 14) << from_name << " " << to_name;
    }
  }
}

// The rig vrm as a convention spells it, without the joints that it does not name.
std::shared_ptr<const Rig> VrmNamed(const NamingConvention& convention) {
  const Rig& vrm = *BuiltinRig("vrm");
  RigParts parts;
  parts.name = "renamed";
  parts.stance = vrm.stance();
  std::map<int, std::string> paths;
  for (int j = 0; j < vrm.joints(); ++j) {
    const auto bone = vrm.humanoid().BoneOf(j);
    const absl::string_view name = bone ? convention.NameOf(*bone) : "";
    Vec3 at = vrm.rest().translation(j);
    int p = vrm.topology().parent(j);
    for (; p >= 0 && !paths.contains(p); p = vrm.topology().parent(p)) {
      at = at + vrm.rest().translation(p);
    }
    if (name.empty()) continue;
    paths[j] = absl::StrCat(p < 0 ? "" : paths[p] + "/", name);
    parts.joint_paths.push_back(paths[j]);
    parts.rest_translations.push_back(at);
  }
  parts.shapes.assign(vrm.shape_names().begin(), vrm.shape_names().end());
  return *Rig::Make(std::move(parts));
}

// Joints are turned in model space as those of the rig vrm are, but for those above which a joint
// is missing, which take its turn along.
TEST(RigMap, ReachesRigsOfEveryConvention) {
  const RigMap map = MapBetween("hanim_loa3", "vrm");
  RandomPoses random(14);
  const Pose in = random.Of(map.from()->joints(), map.from()->shapes());
  Pose want(map.to()->joints(), map.to()->shapes());
  map.Apply(in.view(), want.span());
  const Model vrm = ModelOf(*map.to(), want.view());
  for (const NamingConvention& convention : *BuiltinNamings()) {
    const auto rig = VrmNamed(convention);
    const auto renamed = *RigMap::Make(BuiltinRig("hanim_loa3"), rig);
    Pose got(rig->joints(), rig->shapes());
    renamed.Apply(in.view(), got.span());
    const Model model = ModelOf(*rig, got.view());
    int joints = 0;
    for (int b = 0; b < kUnityBones; ++b) {
      const int j = rig->humanoid().joint(static_cast<HumanBone>(b));
      const int v = map.to()->humanoid().joint(static_cast<HumanBone>(b));
      if (j < 0) continue;
      ++joints;
      EXPECT_LT(AngleBetween(model.turn[static_cast<size_t>(j)], vrm.turn[static_cast<size_t>(v)]),
                1e-3f)
          << convention.id << " " << rig->joint_paths()[static_cast<size_t>(j)];
    }
    EXPECT_EQ(joints, rig->joints()) << convention.id;
  }
}

// A forearm of two joints in a row, bend and twist, turns as both together, and so does the
// upper arm, although its second joint is halfway to the elbow.
TEST(RigMap, JointsWithinALimbTurnItTogether) {
  const auto body = [](bool twists) {
    RigParts parts;
    parts.name = "genesis";
    parts.stance = Stance::kAsItStands;
    std::string path;
    const auto add = [&](absl::string_view name, Vec3 at) {
      absl::StrAppend(&path, path.empty() ? "" : "/", name);
      parts.joint_paths.push_back(path);
      parts.rest_translations.push_back(at);
    };
    add("hip", {0, 1, 0});
    add("abdomenLower", {0, .1f, 0});
    add("chestUpper", {0, .3f, 0});
    const std::string chest = path;
    add("neckLower", {0, .15f, 0});
    add("head", {0, .1f, 0});
    path = chest;
    add("lCollar", {.05f, .1f, 0});
    add("lShldrBend", {.12f, 0, 0});
    if (twists) add("lShldrTwist", {.14f, 0, 0});
    add("lForearmBend", {twists ? .14f : .28f, 0, 0});
    if (twists) add("lForearmTwist", {.12f, 0, 0});
    add("lHand", {twists ? .12f : .24f, 0, 0});
    path = "hip";
    add("lThighBend", {.1f, -.05f, 0});
    add("lShin", {0, -.4f, 0});
    add("lFoot", {0, -.4f, 0});
    return *Rig::Make(std::move(parts));
  };
  const auto whole = body(false), split = body(true);
  const auto vrm = BuiltinRig("vrm");
  const Quat bend = Normalized(Quat{.9f, .1f, .3f, -.2f}), twist = FromAxisAngle({1, 0, 0}, .8f);
  const auto carried = [&](const std::shared_ptr<const Rig>& from, bool twists) {
    Pose in(from->joints(), 0), out(vrm->joints(), vrm->shapes());
    for (const char* part : {"lShldr", "lForearm"}) {
      const int joint = from->FindJoint(absl::StrCat(part, "Bend"));
      in.span().SetRotation(joint, twists ? bend : Mul(bend, twist));
      if (twists) in.span().SetRotation(joint + 1, twist);
    }
    RigMap::Make(from, vrm)->Apply(in.view(), out.span());
    return out;
  };
  const Pose one = carried(whole, false), two = carried(split, true);
  for (const HumanBone bone : {HumanBone::kLeftUpperArm, HumanBone::kLeftLowerArm}) {
    const int j = vrm->humanoid().joint(bone);
    ASSERT_TRUE(two.view().has_r[j]);
    EXPECT_GT(AngleBetween({}, one.view().rotation(j)), .5f);
    EXPECT_LT(AngleBetween(one.view().rotation(j), two.view().rotation(j)), 1e-4f);
  }
}

TEST(RigMap, AceThroughHAnimAndBackIsExact) {
  RandomPoses random(13);
  for (const char* hanim : {"hanim_loa3", "hanim_loa4"}) {
    const RigMap there = MapBetween("ace_biped", hanim), back = MapBetween(hanim, "ace_biped");
    const Rig& ace = *there.from();
    for (int round = 0; round < 50; ++round) {
      Pose in(ace.joints(), ace.shapes());
      for (int j = 1; j < ace.joints(); ++j) {
        const std::string& name = ace.joint_names()[static_cast<size_t>(j)];
        const bool end = name.size() > 3 && name.substr(name.size() - 3) == "End";
        if (!end) in.span().SetRotation(j, random.Rotation());
      }
      in.span().SetRotation(0, {});
      in.span().SetTranslation(1, random.Vector(2));
      for (int s = 0; s < ace.shapes(); ++s) in.span().SetWeight(s, random.Number(0, 1));
      Pose middle(there.to()->joints(), there.to()->shapes()), out(ace.joints(), ace.shapes());
      there.Apply(in.view(), middle.span());
      back.Apply(middle.view(), out.span());
      for (int j = 0; j < ace.joints(); ++j) {
        ASSERT_EQ(in.view().has_r[j], out.view().has_r[j]) << ace.joint_names()[size_t(j)];
        if (!in.view().has_r[j]) continue;
        const Quat a = in.view().rotation(j);
        Quat b = out.view().rotation(j);
        if (Dot(a, b) < 0) b = -b;
        EXPECT_NEAR(a.w, b.w, 1e-6);
        EXPECT_NEAR(a.x, b.x, 1e-6);
        EXPECT_NEAR(a.y, b.y, 1e-6);
        EXPECT_NEAR(a.z, b.z, 1e-6);
      }
      EXPECT_LT(Length(in.view().translation(1) - out.view().translation(1)), 1e-6f);
      for (int s = 0; s < ace.shapes(); ++s) {
        EXPECT_EQ(in.view().weights[s], out.view().weights[s]);
      }
    }
  }
}

TEST(RigMap, RootTimesHipsMoveTheHipsPointInProportion) {
  const RigMap map = MapBetween("ace_biped", "hanim_loa3");
  const Rig &ace = *map.from(), &hanim = *map.to();
  const auto middle = [](const Rig& rig, const Model& m, const char* l, const char* r) {
    return (m.at[static_cast<size_t>(rig.FindJoint(l))] +
            m.at[static_cast<size_t>(rig.FindJoint(r))]) *
           0.5f;
  };
  const Vec3 rest_ace = middle(ace, ModelOf(ace, ace.rest()), "LeftLeg", "RightLeg");
  const Vec3 rest_hanim = middle(hanim, ModelOf(hanim, hanim.rest()), "l_hip", "r_hip");
  RandomPoses random(14);
  for (int round = 0; round < 50; ++round) {
    Pose in(ace.joints(), ace.shapes()), out(94, 52);
    for (int j : {0, 1}) {
      in.span().SetRotation(j, random.Rotation());
      in.span().SetTranslation(j, random.Vector());
    }
    map.Apply(in.view(), out.span());
    const Vec3 moved_ace = middle(ace, ModelOf(ace, in.view()), "LeftLeg", "RightLeg") - rest_ace;
    const Vec3 moved_hanim =
        middle(hanim, ModelOf(hanim, out.view()), "l_hip", "r_hip") - rest_hanim;
    EXPECT_LT(Length(moved_hanim - moved_ace * (rest_hanim.y / rest_ace.y)), 1e-4f);
  }
  EXPECT_NEAR(rest_hanim.y / rest_ace.y, 0.99f, 0.01f);
}

TEST(RigMap, MultipliesJointsWithoutAPartnerIntoTheNextBelow) {
  const RigMap map = MapBetween("hanim_loa3", "ace_biped");
  const Rig &hanim = *map.from(), &ace = *map.to();
  Pose in(94, 52), out(78, 52);
  const Quat a = FromAxisAngle({1, 0, 0}, 0.3f), b = FromAxisAngle({0, 1, 0}, 0.4f);
  in.span().SetRotation(hanim.FindJoint("vt3"), a);
  in.span().SetRotation(hanim.FindJoint("vt1"), b);
  map.Apply(in.view(), out.span());
  for (const char* name : {"Neck1", "LeftShoulder", "RightShoulder"}) {
    EXPECT_NEAR(AngleBetween(out.view().rotation(ace.FindJoint(name)), Mul(a, b)), 0, 1e-4);
    EXPECT_EQ(out.view().has_r[ace.FindJoint(name)], 1);
  }
  int present = 0;
  for (int j = 0; j < 78; ++j) present += out.view().has_r[j];
  EXPECT_EQ(present, 3);
  EXPECT_TRUE(map.UsesJoint(hanim.FindJoint("sacroiliac")));
  EXPECT_FALSE(map.UsesJoint(hanim.FindJoint("l_eyelid_joint")));
}

TEST(RigMap, DeterminesOnlyWhatTheInputDoes) {
  const RigMap map = MapBetween("ace_biped", "hanim_loa3");
  const Rig &ace = *map.from(), &hanim = *map.to();
  Pose in(78, 52), out(94, 52);
  in.span().SetRotation(ace.FindJoint("Head"), FromAxisAngle({0, 1, 0}, 0.5f));
  in.span().SetWeight(17, 0.5f);
  map.Apply(in.view(), out.span());
  int rotations = 0, others = 0, weights = 0;
  for (int j = 0; j < 94; ++j) {
    rotations += out.view().has_r[j];
    others += out.view().has_t[j] + out.view().has_s[j];
  }
  for (int s = 0; s < 52; ++s) weights += out.view().has_w[s];
  // vc3 to vc1 stand between vc4 and skullbase, and vc4 is not known: they stay with what is below.
  EXPECT_EQ(rotations, 1);
  EXPECT_EQ(others, 0);
  EXPECT_EQ(weights, 1);

  in.span().SetRotation(ace.FindJoint("Neck2"), {});
  map.Apply(in.view(), out.span());
  for (const char* name : {"vc4", "vc3", "vc2", "vc1", "skullbase"}) {
    EXPECT_EQ(out.view().has_r[hanim.FindJoint(name)], 1) << name;
  }
  EXPECT_EQ(out.view().has_r[hanim.FindJoint("vc5")], 0);
}

TEST(RigMap, CarriesScalesOntoTurnedAxes) {
  const RigMap map = MapBetween("ace_biped", "hanim_loa3");
  Pose in(78, 52), out(94, 52);
  in.span().SetScale(map.from()->FindJoint("LeftForeArm"), {2, 3, 4});
  map.Apply(in.view(), out.span());
  const Vec3 s = out.view().scale(map.to()->FindJoint("l_elbow"));
  EXPECT_NEAR(s.x, 3, 1e-5);
  EXPECT_NEAR(s.y, 2, 1e-5);
  EXPECT_NEAR(s.z, 4, 1e-5);
}

TEST(RigMap, BetweenEqualRigsNothingChanges) {
  RandomPoses random(15);
  for (const char* name : {"hanim_loa3", "ace_biped", "vrm"}) {
    const RigMap map = MapBetween(name, name);
    const int joints = map.from()->joints();
    const Pose in = random.Of(joints, 52, 0.6f);
    Pose out(joints, 52);
    map.Apply(in.view(), out.span());
    for (int j = 0; j < joints; ++j) {
      EXPECT_EQ(in.view().has_t[j], out.view().has_t[j]);
      EXPECT_EQ(in.view().has_r[j], out.view().has_r[j]);
      EXPECT_EQ(in.view().has_s[j], out.view().has_s[j]);
      if (in.view().has_t[j]) {
        EXPECT_EQ(in.view().ty[j], out.view().ty[j]);
      }
      if (in.view().has_r[j]) {
        EXPECT_NEAR(in.view().qx[j], out.view().qx[j], 2e-7);
      }
      if (in.view().has_s[j]) {
        EXPECT_NEAR(in.view().sz[j], out.view().sz[j], 1e-6);
      }
    }
  }
}

TEST(RigMap, ReducesAndRaisesTheLevelOfArticulation) {
  const RigMap down = MapBetween("hanim_loa3", "hanim_loa1"),
               up = MapBetween("hanim_loa1", "hanim_loa3");
  RandomPoses random(16);
  const Pose simple = random.Of(18, 52);
  Pose full(94, 52), again(18, 52);
  up.Apply(simple.view(), full.span());
  down.Apply(full.view(), again.span());
  for (int j = 0; j < 18; ++j) {
    EXPECT_LT(AngleBetween(simple.view().rotation(j), again.view().rotation(j)), 1e-3f);
  }
  EXPECT_EQ(simple.view().tx[0], again.view().tx[0]);
  EXPECT_EQ(full.view().has_r[up.to()->FindJoint("vt6")], 1);
  EXPECT_EQ(full.view().has_r[up.to()->FindJoint("l_index1")], 0);
}

TEST(RigMap, TakesRestRotationsOutOfOneRigAndPutsThemIntoTheOther) {
  const auto plain =
      *Rig::Parse("rig a\njoint A - 0 1 0\njoint A/M - 0 1 0\njoint A/M/B - 0 1 0\n");
  const auto turned = *Rig::Parse(
      "rig b\njoint A - 0 1 0 0.70710678 0.70710678 0 0\n"
      "joint A/N - 0 0 0.5 0 1 0 0\njoint A/N/B - 0 0 1 0.5 0.5 0.5 0.5\n");
  const RigMap map = *RigMap::Make(plain, turned);
  Pose out(3, 0);
  map.Apply(plain->rest(), out.span());
  for (int j = 0; j < 3; ++j) {
    EXPECT_NEAR(AngleBetween(out.view().rotation(j), turned->rest().rotation(j)), 0, 1e-3) << j;
  }
  RandomPoses random(17);
  const Pose in = random.Of(3, 0);
  map.Apply(in.view(), out.span());
  const Model a = ModelOf(*plain, in.view()), b = ModelOf(*turned, out.view());
  const Model rest = ModelOf(*turned, turned->rest());
  EXPECT_LT(AngleBetween(Mul(a.turn[2], rest.turn[2]), b.turn[2]), 1e-5f);
}

// The spine of one rig hangs off the pelvis, that of the other off the root.
TEST(RigMap, CrossesBranchesWhereTheTreesDiffer) {
  const auto branched =
      *Rig::Parse("rig a\njoint R - 0 1 0\njoint R/P - 0 1 0\njoint R/S - 0 1 0\n");
  const auto chained =
      *Rig::Parse("rig b\njoint R - 0 1 0\njoint R/P - 0 1 0\njoint R/P/S - 0 1 0\n");
  RandomPoses random(18);
  for (const bool forth : {true, false}) {
    const auto from = forth ? branched : chained, to = forth ? chained : branched;
    const RigMap map = *RigMap::Make(from, to);
    const Pose in = random.Of(3, 0);
    Pose out(3, 0);
    map.Apply(in.view(), out.span());
    const Model a = ModelOf(*from, in.view()), b = ModelOf(*to, out.view());
    for (size_t j = 0; j < 3; ++j) EXPECT_LT(AngleBetween(a.turn[j], b.turn[j]), 1e-5f);
  }
}

TEST(RigMap, MatchesShapesIgnoringCase) {
  const auto upper = *Rig::Parse("rig a\njoint X - 0 0 0\nshape JawOpen\nshape Extra\n");
  const RigMap map = *RigMap::Make(upper, BuiltinRig("hanim_loa3"));
  Pose in(1, 2), out(94, 52);
  in.span().SetWeight(0, 0.5f);
  in.span().SetWeight(1, 0.5f);
  map.Apply(in.view(), out.span());
  EXPECT_EQ(out.view().weights[17], 0.5f);
}

TEST(RigMap, RejectsRigsWithNothingInCommon) {
  const auto a = *Rig::Parse("rig a\njoint X - 0 0 0\n"),
             b = *Rig::Parse("rig b\njoint Y - 0 0 0\n");
  const auto map = RigMap::Make(a, b);
  EXPECT_EQ(map.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(map.status().message()), HasSubstr("rigs a and b"));
}

TEST(RigMap, WritesNothingForPosesOfAnotherSize) {
  const RigMap map = MapBetween("ace_biped", "hanim_loa3");
  Pose in(77, 52), out(94, 52);
  out.span().SetTranslation(0, {1, 1, 1});
  map.Apply(in.view(), out.span());
  EXPECT_EQ(out.view().has_t[0], 1);
}

TEST(RecognizeRig, KnowsEachFamilyByItsNames) {
  for (const char* name :
       {"hanim_loa1", "hanim_loa2", "hanim_loa3", "hanim_loa4", "ace_biped", "vrm"}) {
    const std::shared_ptr<const Rig> rig = BuiltinRig(name);
    EXPECT_EQ(RecognizeRig(rig->joint_names(), BuiltinCatalog()), rig) << name;
    EXPECT_EQ(RecognizeRig(rig->joint_paths(), BuiltinCatalog()), rig) << name;
  }
  // Version 2 of the H-Anim names.
  std::vector<std::string> v2;
  const std::shared_ptr<const Rig> loa3 = BuiltinRig("hanim_loa3");
  for (size_t j = 0; j < 94; ++j) {
    v2.push_back(loa3->joint_aliases()[j].empty() ? loa3->joint_names()[j]
                                                  : loa3->joint_aliases()[j]);
  }
  EXPECT_EQ(RecognizeRig(v2, BuiltinCatalog()), loa3);
}

TEST(RecognizeRig, TakesPartOfTheNamesAndToleratesSomeOthers) {
  const std::vector<std::string> arm = {"LeftArm", "LeftForeArm", "LeftHand", "prop"};
  EXPECT_EQ(RecognizeRig(arm, BuiltinCatalog()), BuiltinRig("ace_biped"));
  const std::vector<std::string> unity = {"Hips", "Spine", "LeftUpperArm", "LeftLowerArm"};
  EXPECT_EQ(RecognizeRig(unity, BuiltinCatalog()), BuiltinRig("vrm"));
  const std::vector<std::string> shared = {"Head", "LeftEye", "RightEye"};
  EXPECT_EQ(RecognizeRig(shared, BuiltinCatalog()), BuiltinRig("ace_biped"));
}

TEST(RecognizeRig, IsNullForNamesThatMostlyAreNobodys) {
  EXPECT_EQ(RecognizeRig({}, BuiltinCatalog()), nullptr);
  const std::vector<std::string> foreign = {"mixamorig:Hips", "mixamorig:Spine", "Head"};
  EXPECT_EQ(RecognizeRig(foreign, BuiltinCatalog()), nullptr);
  const std::vector<std::string> half = {"Head", "tail"};
  EXPECT_EQ(RecognizeRig(half, BuiltinCatalog()), nullptr);
}

// Every joint that H-Anim's, ACE's and Unity's conventions name is a joint of the rig of ours.
TEST(BuiltinNamings, NameJointsOfOurRigs) {
  const std::pair<const char*, const char*> rigs[] = {{"hanim_v1", "hanim_loa3"},
                                                      {"hanim_v2", "hanim_loa3"},
                                                      {"ace", "ace_biped"},
                                                      {"unity", "vrm"},
                                                      {"vrm1", "vrm"}};
  int joints = 0, sites = 0;
  for (const auto& [id, rig_name] : rigs) {
    const auto rig = BuiltinRig(rig_name);
    for (const NamingConvention::Name& name : ConventionOf(id).names) {
      if (IsTip(name.bone) && absl::string_view(id) == "hanim_v1") {
        EXPECT_TRUE(std::any_of(rig->sites().begin(), rig->sites().end(), [&](const Site& site) {
          return site.name == name.text;
        })) << name.text;
        ++sites;
      } else {
        EXPECT_EQ(rig->FindJoint(name.text), rig->humanoid().joint(name.bone)) << name.text;
        EXPECT_GE(rig->FindJoint(name.text), 0) << name.text;
        ++joints;
      }
    }
  }
  EXPECT_EQ(sites, 13);
  EXPECT_EQ(joints, 68 + 68 + 64 + 13 + 55 + 55);
}

// Against the table that they were made from, where that is at hand.
TEST(BuiltinNamings, SayWhatTheSourceTableSays) {
  const char* source = std::getenv("POSEWIRE_SOURCE_DIR");
  std::ifstream file(absl::StrCat(source ? source : ".", "/../shared/spec/rig_map.csv"));
  if (!file) GTEST_SKIP() << "no source table";
  std::map<std::string, std::string> want;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line.rfind("hanim_v1", 0) == 0) continue;
    const std::vector<std::string> f = absl::StrSplit(line, ',');
    if (f[1].empty() && f[2].empty()) continue;
    want[f[0]] = absl::StrCat(f[1], " ", f[2]);
  }
  std::map<std::string, std::string> got;
  for (int b = 0; b < kHumanBones; ++b) {
    const auto bone = static_cast<HumanBone>(b);
    const absl::string_view ace = ConventionOf("ace").NameOf(bone);
    if (ace.empty() && b >= kUnityBones) continue;
    got[std::string(ConventionOf("hanim_v1").NameOf(bone))] =
        absl::StrCat(ace, " ", b < kUnityBones ? NameOf(bone) : "");
  }
  EXPECT_EQ(got, want);
}

}  // namespace
}  // namespace posewire::skel
