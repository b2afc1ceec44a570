#include "libs/wire/source_binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "libs/skel/rig_map.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/wire/status_matchers.h"

namespace posewire::wire {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const skel::Rig> SmallRig() {
  skel::RigParts parts;
  parts.name = "small";
  parts.joint_paths = {"base", "base/Hips", "base/Hips/Tail", "base/Hips/Tail/Tip"};
  parts.joint_aliases = {"", "", "cauda", ""};
  parts.rest_translations.resize(4);
  parts.shapes = {"jawOpen", "browUp"};
  return *skel::Rig::Make(std::move(parts));
}

const skel::RigCatalog& Catalog() {
  static const auto& catalog = *new skel::RigCatalog(*skel::RigCatalog::Builtin());
  return catalog;
}

StreamHeader Names(std::vector<std::string> joints, std::vector<std::string> shapes = {}) {
  StreamHeader header;
  header.joints = std::move(joints);
  header.shapes = std::move(shapes);
  return header;
}

std::vector<std::string> NamesOf(const skel::Rig& rig) {
  return {rig.joint_names().begin(), rig.joint_names().end()};
}

void ExpectNear(skel::Quat a, skel::Quat b) {
  EXPECT_GT(std::fabs(skel::Dot(a, b)), 1 - 1e-6f)
      << a.w << " " << a.x << " " << a.y << " " << a.z << " vs " << b.w << " " << b.x << " " << b.y
      << " " << b.z;
}

TEST(SourceBinding, MatchesByLastPathElementAliasAndCase) {
  const auto rig = SmallRig();
  auto binding = SourceBinding::Make(
      Names({"x/y/cauda", "unknown", "Hips"}, {"BROWUP", "other", "JawOpen"}), rig, Catalog());
  ASSERT_THAT(binding, IsOk());
  EXPECT_EQ(binding->recognized_rig(), "");
  EXPECT_EQ(binding->ignored_joints(), 1);
  EXPECT_EQ(binding->ignored_shapes(), 1);
  EXPECT_THAT(binding->ignored_examples(), ElementsAre("\"unknown\"", "\"other\""));

  const std::vector<float> w = {0.25f, 9, 0.75f};
  const std::vector<float> q = {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const std::vector<float> s = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  skel::Pose out(4, 2);
  out.span().SetRotation(0, {});  // must not survive
  binding->Apply({{w, {}, q, s}}, out.span());
  const skel::PoseView v = out.view();
  EXPECT_THAT(std::vector<int>(v.has_r, v.has_r + 4), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(std::vector<int>(v.has_t, v.has_t + 4), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(std::vector<int>(v.has_s, v.has_s + 4), ElementsAre(0, 1, 1, 0));
  EXPECT_EQ(v.qz[1], 1);
  EXPECT_EQ(v.qx[2], 1);
  EXPECT_EQ(v.sy[1], 8);
  EXPECT_EQ(v.sx[2], 1);
  EXPECT_EQ(v.weights[0], 0.75f);
  EXPECT_EQ(v.weights[1], 0.25f);
}

TEST(SourceBinding, JointsOfOneLastElementAreToldApartByTheirPaths) {
  skel::RigParts parts;
  parts.name = "hands";
  parts.joint_paths = {"Body", "Body/L", "Body/L/Finger", "Body/R", "Body/R/Finger"};
  parts.rest_translations.resize(5);
  const auto rig = skel::Rig::Make(parts);
  ASSERT_THAT(rig, IsOk());
  const auto binding = SourceBinding::Make(Names({"R/Finger", "/Skel/Body/L/Finger", "Finger"}, {}),
                                           *rig, Catalog());
  ASSERT_THAT(binding, IsOk());
  EXPECT_EQ(binding->ignored_joints(), 1);
  EXPECT_THAT(binding->ignored_examples(), ElementsAre("\"Finger\""));
  const std::vector<float> q = {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  skel::Pose out(5, 0);
  binding->Apply({{{}, {}, q, {}}}, out.span());
  EXPECT_THAT(std::vector<int>(out.view().has_r, out.view().has_r + 5), ElementsAre(0, 0, 1, 0, 1));
  EXPECT_EQ(out.view().qy[2], 1);
  EXPECT_EQ(out.view().qx[4], 1);
}

TEST(SourceBinding, ExamplesOfIgnoredNamesAreShortAndPrintable) {
  const auto binding =
      SourceBinding::Make(Names({"Hips", std::string(4000, 'j'), "x\x01y"}), SmallRig(), Catalog());
  ASSERT_THAT(binding, IsOk());
  ASSERT_EQ(binding->ignored_examples().size(), 2u);
  EXPECT_LT(binding->ignored_examples()[0].size(), 100u);
  EXPECT_EQ(binding->ignored_examples()[1], "\"x\\x01y\"");
}

TEST(SourceBinding, OnlyRootAndHipsMoveUnlessAllTranslationsAreTaken) {
  const auto rig = SmallRig();
  const std::vector<float> t = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const StreamHeader header = Names({"base", "Hips", "Tail", "Tip"});
  for (const bool all : {false, true}) {
    auto binding = SourceBinding::Make(header, rig, Catalog(), {0.01f, all});
    ASSERT_THAT(binding, IsOk());
    skel::Pose out(4, 2);
    binding->Apply({{{}, t, {}, {}}}, out.span());
    const skel::PoseView v = out.view();
    EXPECT_THAT(std::vector<int>(v.has_t, v.has_t + 4), ElementsAre(1, 1, all, all));
    EXPECT_FLOAT_EQ(v.ty[0], 0.02f);
    EXPECT_FLOAT_EQ(v.tz[1], 0.06f);
    if (all) {
      EXPECT_FLOAT_EQ(v.tx[3], 0.1f);
    }
  }
}

TEST(SourceBinding, HipsMoveWhateverTheyAreCalled) {
  for (const char* hips : {"Hips", "pelvis", "mixamorig:Hips", "J_Bip_C_Hips", "HumanoidRoot"}) {
    skel::RigParts parts;
    parts.name = "small";
    parts.joint_paths = {"base", std::string("base/") + hips,
                         std::string("base/") + hips + "/tail"};
    parts.rest_translations.resize(3);
    const auto rig = *skel::Rig::Make(std::move(parts));
    const auto binding = SourceBinding::Make(Names({hips, "tail"}), rig, Catalog());
    ASSERT_THAT(binding, IsOk());
    const std::vector<float> t = {1, 2, 3, 4, 5, 6};
    skel::Pose out(3, 0);
    binding->Apply({{{}, t, {}, {}}}, out.span());
    EXPECT_THAT(std::vector<int>(out.view().has_t, out.view().has_t + 3), ElementsAre(0, 1, 0))
        << hips;
  }
}

TEST(SourceBinding, RejectsNamesOfWhichNoneIsKnownWithExamplesOfBoth) {
  EXPECT_THAT(
      SourceBinding::Make(Names({"foo", "bar"}, {"baz"}), SmallRig(), Catalog()),
      Invalid(AllOf(HasSubstr("\"foo\", \"bar\""), HasSubstr("\"baz\""), HasSubstr("\"Hips\""),
                    HasSubstr("\"jawOpen\""), HasSubstr("rig small"))));
  // A voice alone names nothing.
  EXPECT_THAT(SourceBinding::Make(Names({}), SmallRig(), Catalog()), IsOk());
  // Unknown joints beside a known shape are ignored.
  EXPECT_THAT(SourceBinding::Make(Names({"foo"}, {"jawopen"}), SmallRig(), Catalog()), IsOk());
}

TEST(SourceBinding, OfTwoNamesForOnePlaceTheFirstCounts) {
  auto binding = SourceBinding::Make(Names({"Tail", "cauda"}), SmallRig(), Catalog());
  ASSERT_THAT(binding, IsOk());
  EXPECT_EQ(binding->ignored_joints(), 1);
  skel::Pose out(4, 2);
  const std::vector<float> q = {0, 1, 0, 0, 0, 0, 1, 0};
  binding->Apply({{{}, {}, q, {}}}, out.span());
  EXPECT_EQ(out.view().qx[2], 1);
}

TEST(SourceBinding, RotationsAreBroughtToUnitLength) {
  auto binding = SourceBinding::Make(Names({"Hips"}), SmallRig(), Catalog());
  skel::Pose out(4, 2);
  const std::vector<float> q = {0.99f, 0.1f, 0, 0};
  binding->Apply({{{}, {}, q, {}}}, out.span());
  EXPECT_NEAR(skel::Dot(out.view().rotation(1), out.view().rotation(1)), 1, 1e-6);
}

TEST(SourceBinding, TracksOfAnotherLengthSayNothing) {
  auto binding = SourceBinding::Make(Names({"Hips", "Tail"}, {"jawOpen"}), SmallRig(), Catalog());
  const std::vector<float> wrong = {1, 0, 0, 0, 0};
  skel::Pose out(4, 2);
  binding->Apply({{wrong, wrong, wrong, wrong}}, out.span());
  for (int j = 0; j < 4; ++j) {
    EXPECT_EQ(out.view().has_r[j] + out.view().has_t[j] + out.view().has_s[j], 0);
  }
  EXPECT_EQ(out.view().has_w[0], 0);
}

TEST(SourceBinding, NamesOfAnotherRigAreRecognisedAndCarriedOver) {
  const auto hanim = *Catalog().Find("hanim_loa3");
  const auto ace = *Catalog().Find("ace_biped");
  const auto vrm = *Catalog().Find("vrm");
  std::mt19937 rng(5);
  std::uniform_real_distribution<float> angle(-0.5f, 0.5f);
  for (const auto& [from, to] : {std::pair{ace, hanim},
                                 {vrm, hanim},
                                 {hanim, ace},
                                 {vrm, ace},
                                 {ace, vrm},
                                 {*Catalog().Find("hanim_loa4"), hanim}}) {
    std::vector<std::string> names = NamesOf(*from);
    std::shuffle(names.begin(), names.end(), rng);
    auto binding = SourceBinding::Make(Names(names, {"JawOpen"}), to, Catalog());
    ASSERT_THAT(binding, IsOk());
    EXPECT_EQ(binding->recognized_rig(), from->name());

    skel::Pose source(from->joints(), from->shapes()), expected(to->joints(), to->shapes());
    std::vector<float> q;
    for (const std::string& name : names) {
      const skel::Quat r = skel::Exp({angle(rng), angle(rng), angle(rng)});
      source.span().SetRotation(from->FindJoint(name), r);
      q.insert(q.end(), {r.w, r.x, r.y, r.z});
    }
    const auto map = skel::RigMap::Make(from, to);
    ASSERT_THAT(map, IsOk());
    map->Apply(source.view(), expected.span());
    skel::Pose out(to->joints(), to->shapes());
    const std::vector<float> w = {0.5f};
    binding->Apply({{w, {}, q, {}}}, out.span());
    int carried = 0;
    for (int j = 0; j < to->joints(); ++j) {
      ASSERT_EQ(out.view().has_r[j], expected.view().has_r[j]);
      if (!expected.view().has_r[j]) continue;
      ++carried;
      ExpectNear(out.view().rotation(j), expected.view().rotation(j));
    }
    EXPECT_GT(carried, 15) << from->name() << " to " << to->name();
    EXPECT_EQ(out.view().weights[to->FindShape("jawOpen")], 0.5f);
  }
}

// The arm hangs in both: ACE turns it by a quarter from its T-pose, H-Anim's rest does it.
TEST(SourceBinding, AHangingArmOfAceIsRestOfHanim) {
  const auto hanim = *Catalog().Find("hanim_loa3");
  const auto ace = *Catalog().Find("ace_biped");
  auto binding = SourceBinding::Make(Names(NamesOf(*ace)), hanim, Catalog());
  ASSERT_THAT(binding, IsOk());
  std::vector<float> q;
  for (const std::string& name : ace->joint_names()) {
    skel::Quat r;
    if (name == "LeftArm") r = skel::FromAxisAngle({0, 0, 1}, -1.57079633f);
    if (name == "RightArm") r = skel::FromAxisAngle({0, 0, 1}, 1.57079633f);
    q.insert(q.end(), {r.w, r.x, r.y, r.z});
  }
  skel::Pose out(hanim->joints(), hanim->shapes());
  binding->Apply({{{}, {}, q, {}}}, out.span());
  for (int j = 0; j < hanim->joints(); ++j) {
    if (out.view().has_r[j]) ExpectNear(out.view().rotation(j), {});
  }
}

TEST(SourceBinding, TheRigsOwnNamesPassUnchanged) {
  for (const char* name : {"hanim_loa1", "hanim_loa3", "ace_biped", "vrm"}) {
    const auto rig = *Catalog().Find(name);
    auto binding = SourceBinding::Make(
        Names({rig->joint_paths().begin(), rig->joint_paths().end()}), rig, Catalog(), {1, true});
    ASSERT_THAT(binding, IsOk());
    EXPECT_EQ(binding->recognized_rig(), "") << name;
    EXPECT_EQ(binding->ignored_joints(), 0) << name;
    const auto n = static_cast<size_t>(rig->joints());
    std::vector<float> t(3 * n), q(4 * n);
    for (size_t i = 0; i < t.size(); ++i) t[i] = static_cast<float>(i);
    for (size_t i = 0; i < n; ++i) q[4 * i + i % 4] = 1;
    skel::Pose out(rig->joints(), rig->shapes());
    binding->Apply({{{}, t, q, {}}}, out.span());
    for (int j = 0; j < rig->joints(); ++j) {
      EXPECT_EQ(out.view().tx[j], t[3 * static_cast<size_t>(j)]);
      EXPECT_EQ(out.view().qw[j], q[4 * static_cast<size_t>(j)]);
      EXPECT_EQ(out.view().has_s[j], 0);
    }
  }
}

// A simpler level of H-Anim is a part of the standard rig: only what is named is owned.
TEST(SourceBinding, ASimplerLevelOfHanimOwnsItsJointsOnly) {
  const auto loa1 = *Catalog().Find("hanim_loa1");
  const auto rig = *Catalog().Find("hanim_loa3");
  auto binding = SourceBinding::Make(Names(NamesOf(*loa1)), rig, Catalog());
  ASSERT_THAT(binding, IsOk());
  std::vector<float> q;
  for (int j = 0; j < loa1->joints(); ++j) q.insert(q.end(), {1, 0, 0, 0});
  skel::Pose out(rig->joints(), rig->shapes());
  binding->Apply({{{}, {}, q, {}}}, out.span());
  int owned = 0;
  for (int j = 0; j < rig->joints(); ++j) owned += out.view().has_r[j];
  EXPECT_EQ(owned, loa1->joints());
}

TEST(SourceBinding, TellsWhoOwnsTheMouth) {
  const auto rig = *Catalog().Find("hanim_loa3");
  const auto owns = [&](std::vector<std::string> joints, std::vector<std::string> shapes) {
    return SourceBinding::Make(Names(std::move(joints), std::move(shapes)), rig, Catalog())
        ->owns_mouth();
  };
  EXPECT_TRUE(owns({}, {"jawOpen"}));
  EXPECT_TRUE(owns({}, {"MouthSmileLeft"}));
  EXPECT_TRUE(owns({}, {"tongueOut"}));
  EXPECT_TRUE(owns({"temporomandibular"}, {}));
  EXPECT_TRUE(owns({"Root", "Hips", "Head", "Jaw"}, {}));
  EXPECT_FALSE(owns({"l_shoulder", "skullbase"}, {"browInnerUp", "eyeBlinkLeft"}));
  EXPECT_FALSE(owns({"l_shoulder"}, {"browInnerUp", "mouthOfAStranger"}));
}

TEST(SourceBinding, KeysInTheRigsOwnOrderPassToTheBit) {
  const auto rig = *Catalog().Find("hanim_loa3");
  std::vector<std::string> names = NamesOf(*rig);
  std::mt19937 rng(7);
  std::uniform_real_distribution<float> real(-1, 1);
  for (const bool shuffled : {false, true}) {
    if (shuffled) std::shuffle(names.begin(), names.end(), rng);
    const auto binding = SourceBinding::Make(Names(names), rig, Catalog(), {1, true});
    ASSERT_THAT(binding, IsOk());
    std::vector<float> t, q, s;
    for (size_t i = 0; i < names.size(); ++i) {
      const skel::Quat r =
          skel::Normalized(skel::Quat{real(rng) + 1.5f, real(rng), real(rng), real(rng)});
      q.insert(q.end(), {r.w, r.x, r.y, r.z});
      for (int k = 0; k < 3; ++k) t.push_back(real(rng)), s.push_back(real(rng));
    }
    skel::Pose out(rig->joints(), rig->shapes());
    binding->Apply({{{}, t, q, s}}, out.span());
    for (size_t i = 0; i < names.size(); ++i) {
      const int j = rig->FindJoint(names[i]);
      const skel::PoseView v = out.view();
      ASSERT_TRUE(v.has_t[j] && v.has_r[j] && v.has_s[j]);
      EXPECT_THAT((std::vector<float>{v.qw[j], v.qx[j], v.qy[j], v.qz[j]}),
                  ElementsAre(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]));
      EXPECT_THAT((std::vector<float>{v.tx[j], v.ty[j], v.tz[j]}),
                  ElementsAre(t[3 * i], t[3 * i + 1], t[3 * i + 2]));
      EXPECT_THAT((std::vector<float>{v.sx[j], v.sy[j], v.sz[j]}),
                  ElementsAre(s[3 * i], s[3 * i + 1], s[3 * i + 2]));
    }
  }
}

TEST(BindingCache, GivesTheSameTablesToTheSameNamesAndNoOthers) {
  const auto rig = SmallRig(), other_rig = SmallRig();
  BindingCache cache(8);
  const auto examples = [&](const StreamHeader& header, std::shared_ptr<const skel::Rig> to,
                            const BindingOptions& options) {
    const auto binding = SourceBinding::Make(header, std::move(to), Catalog(), options, &cache);
    EXPECT_THAT(binding, IsOk());
    return &binding->ignored_examples();
  };
  StreamHeader header = Names({"Hips", "Tail"}, {"jawOpen"});
  const auto* first = examples(header, rig, {});
  header.ids.request_id = "another";
  EXPECT_EQ(examples(header, rig, {}), first);
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_NE(examples(header, other_rig, {}), first);
  EXPECT_NE(examples(header, rig, {0.01f, false}), first);
  EXPECT_NE(examples(header, rig, {1, true}), first);
  EXPECT_NE(examples(Names({"Tail", "Hips"}, {"jawOpen"}), rig, {}), first);
  EXPECT_NE(examples(Names({"Hips", "Tail"}), rig, {}), first);
  EXPECT_EQ(examples(header, rig, {}), first);
  EXPECT_EQ(cache.size(), 6u);
}

TEST(BindingCache, ForgetsWhatWasAskedForLongestAgo) {
  const auto rig = SmallRig();
  BindingCache cache(2);
  const auto binding = [&](const char* joint) {
    return *SourceBinding::Make(Names({joint}), rig, Catalog(), {}, &cache);
  };
  const SourceBinding hips = binding("Hips"), tail = binding("Tail");
  EXPECT_EQ(&binding("Hips").ignored_examples(), &hips.ignored_examples());
  const SourceBinding tip = binding("Tip");
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(&binding("Hips").ignored_examples(), &hips.ignored_examples());
  EXPECT_NE(&binding("Tail").ignored_examples(), &tail.ignored_examples());
  EXPECT_EQ(cache.size(), 2u);
  // What the cache forgot goes on.
  skel::Pose out(4, 2);
  const std::vector<float> q = {0, 1, 0, 0};
  tail.Apply({{{}, {}, q, {}}}, out.span());
  EXPECT_EQ(out.view().qx[2], 1);
}

TEST(BindingCache, KeepsNeitherRejectedNorHugeHeaders) {
  BindingCache cache;
  EXPECT_THAT(SourceBinding::Make(Names({"foo"}), SmallRig(), Catalog(), {}, &cache),
              Invalid(HasSubstr("\"foo\"")));
  EXPECT_THAT(SourceBinding::Make(Names({"Hips", std::string(70000, 'j')}), SmallRig(), Catalog(),
                                  {}, &cache),
              IsOk());
  EXPECT_EQ(cache.size(), 0u);
}

TEST(SourceBinding, ApplyAllocatesNothing) {
  const auto rig = *Catalog().Find("hanim_loa3");
  const auto ace = *Catalog().Find("ace_biped");
  auto binding = SourceBinding::Make(Names(NamesOf(*ace), {"jawOpen"}), rig, Catalog());
  std::vector<float> q, t(3 * static_cast<size_t>(ace->joints())), w = {1};
  for (int j = 0; j < ace->joints(); ++j) q.insert(q.end(), {1, 0, 0, 0});
  skel::Pose out(rig->joints(), rig->shapes());
  const AllocationCount count;
  for (int i = 0; i < 100; ++i) binding->Apply({{w, t, q, t}}, out.span());
  EXPECT_EQ(count.count(), 0);
}

}  // namespace
}  // namespace posewire::wire
