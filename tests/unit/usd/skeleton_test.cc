#include "libs/formats/usd/skeleton.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/formats/usd/compose.h"
#include "libs/formats/usd/motion_note.h"

namespace posewire::usd {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kI[] = "((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))";
constexpr char kUp[] = "((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1))";

Stage Staged(const std::string& body, const std::string& metadata = "metersPerUnit = 1") {
  absl::StatusOr<Layer> layer =
      Compose(absl::StrCat("#usda 1.0\n( ", metadata, " )\n", body), nullptr);
  EXPECT_TRUE(layer.ok()) << layer.status();
  return Stage(layer.ok() ? *std::move(layer) : Layer{});
}

// Joints A and A/B, a metre above it.
std::string Two(const std::string& animation, const std::string& more = "") {
  return absl::StrCat("def SkelRoot \"R\" {\ndef Skeleton \"S\" {\n", more,
                      "uniform token[] joints = [\"A\", \"A/B\"]\n"
                      "uniform matrix4d[] bindTransforms = [",
                      kI, ", ", kUp, "]\nuniform matrix4d[] restTransforms = [", kI, ", ", kUp,
                      "]\nrel skel:animationSource = <Anim>\ndef SkelAnimation \"Anim\" {\n",
                      animation, "\n} } }");
}

constexpr char kAll[] =
    "uniform token[] joints = [\"A/B\", \"X\", \"A\"]\n"
    "float3[] translations = [(1, 2, 3), (9, 9, 9), (4, 5, 6)]\n"
    "quatf[] rotations = [(0, 1, 0, 0), (1, 0, 0, 0), (1, 0, 0, 0)]\n";

TEST(UsdSkeleton, ParentsAreTheNearestListedPaths) {
  EXPECT_THAT(ParentsOf({"A", "A/B/C", "A/B", "Nested/Without/Parent/Joint", "D", "D/E/F/G",
                         "/A/B/C", "/A/B", "/A", "", "/", ".."}),
              ElementsAre(-1, 2, 0, -1, -1, 4, 7, 8, -1, -1, -1, -1));
  EXPECT_THAT(ParentsOf({"/A", "A/B"}), ElementsAre(-1, -1));
  EXPECT_THAT(ParentsOf({}), ElementsAre());
  EXPECT_THAT(MapNames({"A", "/A", "C"}, {"C", "A", "C"}), ElementsAre(1, -1, 2));
}

TEST(UsdSkeleton, JointsOfAnAnimationAreFoundByTheirPaths) {
  const Stage stage =
      Staged(Two(absl::StrCat(kAll, "half3[] scales = [(1,1,1), (1,1,1), (2,1,1)]")));
  const auto skeletons = ReadSkeletons(stage);
  ASSERT_TRUE(skeletons.ok()) << skeletons.status();
  ASSERT_EQ(skeletons->all.size(), 1u);
  EXPECT_THAT(skeletons->all[0].parents, ElementsAre(-1, 0));
  SkeletonMotion motion(stage, skeletons->all[0]);
  EXPECT_TRUE(motion.moves_joints());
  const std::vector<JointPlace>& pose = motion.PoseAt(0);
  EXPECT_EQ(pose[0].translation.y, 5);
  EXPECT_EQ(pose[0].scale.x, 2);
  EXPECT_EQ(pose[1].translation.z, 3);
  EXPECT_EQ(pose[1].rotation.x, 1);
}

TEST(UsdSkeleton, RestsWhereAnAnimationSaysTooLittle) {
  for (const std::string& animation :
       {std::string(kAll), absl::StrCat(kAll, "half3[] scales = None"),
        absl::StrCat(kAll, "half3[] scales = [(1,1,1)]"), std::string()}) {
    const Stage stage = Staged(Two(animation));
    const auto skeletons = ReadSkeletons(stage);
    ASSERT_TRUE(skeletons.ok()) << skeletons.status();
    SkeletonMotion motion(stage, skeletons->all[0]);
    EXPECT_EQ(motion.PoseAt(0)[1].translation.y, 1) << animation;
  }
}

std::string NoteOf(const std::string& body) {
  const Stage stage = Staged(body);
  const auto skeletons = ReadSkeletons(stage);
  EXPECT_TRUE(skeletons.ok() && !skeletons->all.empty());
  return NoteOfMotion(stage, skeletons->all[0]);
}

// OpenUSD says nothing, and it is the usual reason why a stage does not move.
TEST(UsdSkeleton, SaysWhyAnAnimationMovesNothing) {
  const std::string scales = "half3[] scales = [(1,1,1), (1,1,1), (1,1,1)]\n";
  const std::string start = "/R/S/Anim has ";
  EXPECT_EQ(NoteOf(Two(kAll)),
            start + "no scales, and moves joints only with translations, rotations and scales");
  EXPECT_THAT(NoteOf(Two(absl::StrCat(kAll, "half3[] scales = None"))), HasSubstr("no scales"));
  EXPECT_THAT(NoteOf(Two(absl::StrCat(kAll, "half3[] scales.timeSamples = {}"))),
              HasSubstr("no scales"));
  EXPECT_THAT(NoteOf(Two("uniform token[] joints = [\"A\"]\nquatf[] rotations = [(1,0,0,0)]")),
              HasSubstr("no translations and no scales"));
  EXPECT_EQ(NoteOf(Two(absl::StrCat(kAll, "half3[] scales = [(1,1,1)]"))),
            start + "1 scales for 3 joints, where it moves none");
  EXPECT_THAT(
      NoteOf(Two(absl::StrCat(kAll,
                              "half3[] scales.timeSamples = { 1: [(1,1,1), (1,1,1), (1,1,1)],"
                              " 5: [] }"))),
      HasSubstr("0 scales for 3 joints at time code 5"));
  EXPECT_EQ(NoteOf(Two(absl::StrCat(kAll, scales))),
            start + "1 of 3 joints that /R/S lacks, such as \"X\", and does not move them");
  EXPECT_THAT(NoteOf(Two("uniform token[] joints = [\"Q\"]\nfloat3[] translations = [(0,0,0)]\n"
                         "quatf[] rotations = [(1,0,0,0)]\nhalf3[] scales = [(1,1,1)]")),
              AllOf(HasSubstr("1 of 1 joints that /R/S lacks, such as \"Q\""),
                    HasSubstr("those of the Skeleton are such as \"A\"")));
  EXPECT_EQ(NoteOf(Two("float3[] translations = [(0,0,0)]")),
            start + "no joints, so that it moves none");
  EXPECT_EQ(NoteOf(Two("uniform token[] blendShapes = [\"a\", \"b\"]\n"
                       "float[] blendShapeWeights = [1]")),
            start + "1 blendShapeWeights for 2 blendShapes, so that it moves none");
}

TEST(UsdSkeleton, HasNothingToSayOfWhatMoves) {
  EXPECT_EQ(NoteOf(Two("")), "");
  EXPECT_EQ(NoteOf(Two("uniform token[] blendShapes = [\"a\"]\nfloat[] blendShapeWeights")), "");
  EXPECT_EQ(NoteOf(Two("uniform token[] joints = [\"A\"]\nfloat3[] translations = [(0,0,0)]\n"
                       "quatf[] rotations = [(1,0,0,0)]\nhalf3[] scales = [(1,1,1)]")),
            "");
}

TEST(UsdSkeleton, WarnsOfASourceThatIsNoAnimation) {
  const auto warnings = [](const std::string& source) {
    const Stage stage = Staged(
        "def SkelRoot \"R\" { def Skeleton \"S\" { uniform token[] joints = "
        "[\"A\"]\nrel skel:animationSource = " +
        source + " } }");
    return ReadSkeletons(stage)->all[0].warnings;
  };
  EXPECT_THAT(warnings("</R/Gone>"),
              ElementsAre("/R/S.skel:animationSource names no prim of the stage, and moves "
                          "nothing"));
  EXPECT_THAT(warnings("</R>"), ElementsAre(HasSubstr("/R, which is no SkelAnimation")));
  EXPECT_THAT(warnings("None"), ElementsAre());
}

TEST(UsdSkeleton, JointsThatAreNotMovedRest) {
  const Stage stage =
      Staged(Two("uniform token[] joints = [\"A\"]\nfloat3[] translations = [(0, 3, 0)]\n"
                 "quatf[] rotations = [(1, 0, 0, 0)]\nhalf3[] scales = [(1, 1, 1)]\n"
                 "uniform token[] blendShapes = [\"smile\"]\nfloat[] blendShapeWeights = [0.5]"));
  const auto skeletons = ReadSkeletons(stage);
  ASSERT_TRUE(skeletons.ok());
  SkeletonMotion motion(stage, skeletons->all[0]);
  EXPECT_EQ(motion.PoseAt(0)[0].translation.y, 3);
  EXPECT_EQ(motion.PoseAt(0)[1].translation.y, 1);
  EXPECT_THAT(motion.shapes(), ElementsAre("smile"));
  EXPECT_THAT(motion.WeightsAt(0), ElementsAre(0.5));
}

TEST(UsdSkeleton, StandsInOurSpace) {
  const Stage stage = Staged(
      absl::StrCat("def Xform \"W\" { double3 xformOp:translate = (0, 0, 100)\n"
                   "uniform token[] xformOpOrder = [\"xformOp:translate\"]\n",
                   Two(absl::StrCat(kAll, "half3[] scales = [(1,1,1), (1,1,1), (1,1,1)]")), "}"),
      "upAxis = \"Z\"");
  const auto skeletons = ReadSkeletons(stage);
  ASSERT_TRUE(skeletons.ok());
  SkeletonMotion motion(stage, skeletons->all[0]);
  const std::vector<JointPlace>& pose = motion.PoseAt(0);
  // (4, 5, 6) + (0, 0, 100) centimetres with Z up.
  EXPECT_NEAR(pose[0].translation.x, .04, 1e-6);
  EXPECT_NEAR(pose[0].translation.y, 1.06, 1e-6);
  EXPECT_NEAR(pose[0].translation.z, -.05, 1e-6);
  EXPECT_NEAR(pose[0].rotation.x, -std::sqrt(.5), 1e-6);
  EXPECT_NEAR(pose[1].translation.y, .02, 1e-6);
  EXPECT_NEAR(skeletons->all[0].rest[1].translation.y, .01, 1e-6);
  // A point at bind goes to metres with the joints.
  const skel::Affine& b = skeletons->all[0].inverse_bind[1];
  EXPECT_NEAR(skel::TransformPoint(b, {0, 3, 0}).y, .02, 1e-6);
}

TEST(UsdSkeleton, AnimationsAreInherited) {
  const std::string skeleton = "def Skeleton \"S\" { uniform token[] joints = [\"A\"]\n";
  const std::string animation = "def SkelAnimation \"N\" {} def SkelAnimation \"M\" {}";
  const auto animation_of = [&](const std::string& above, const std::string& own,
                                const std::string& read_sidecar) {
    const Stage stage = Staged(absl::StrCat("def SkelRoot \"R\" {\n", above, "\n", skeleton, own,
                                            "\n}\n", read_sidecar, "\n", animation, "}"));
    const auto skeletons = ReadSkeletons(stage);
    EXPECT_TRUE(skeletons.ok());
    const int prim = skeletons->all[0].animation;
    return prim < 0 ? "none" : stage.path(prim);
  };
  const std::string n = "rel skel:animationSource = </R/N>",
                    m = "rel skel:animationSource = </R/M>";
  EXPECT_EQ(animation_of(n, "", ""), "/R/N");
  EXPECT_EQ(animation_of(n, m, ""), "/R/M");
  EXPECT_EQ(animation_of(n, "rel skel:animationSource = None", ""), "none");
  EXPECT_EQ(animation_of("", "", "def \"B\" { rel skel:skeleton = </R/S>\n" + m + " }"), "/R/M");
  EXPECT_EQ(animation_of("rel skel:animationSource = [</R/M>, </R/N>]", "", ""), "/R/M");
  EXPECT_EQ(animation_of("rel skel:animationSource = </R/S>", "", ""), "none");
}

// Each instance of a stage's Skeletons: where it is bound, and what moves it.
std::string InstancesOf(const std::string& body, const BindingRules& rules = {}) {
  const Stage stage =
      Staged(absl::StrCat(body,
                          "\ndef SkelRoot \"L\" { def Skeleton \"S\" { uniform token[] joints = "
                          "[\"J\"] }\ndef Skeleton \"T\" {}\n"
                          "def SkelAnimation \"M\" {} def SkelAnimation \"N\" {} }"));
  const auto skeletons = ReadSkeletons(stage, rules);
  EXPECT_TRUE(skeletons.ok()) << skeletons.status();
  std::string out;
  for (const Skeleton& skeleton : skeletons->all) {
    for (const int site : skeleton.sites) absl::StrAppend(&out, stage.path(site), "+");
    absl::StrAppend(&out, stage.path(skeleton.prim), "=",
                    skeleton.animation < 0 ? "rest" : stage.path(skeleton.animation), " ");
  }
  return out + skeletons->ignored;
}

// The three examples of UsdSkel's guide.
TEST(UsdSkeleton, EachBindingWithAnotherAnimationIsAnInstance) {
  const std::string s = "rel skel:skeleton = </L/S>\n", t = "rel skel:skeleton = </L/T>\n",
                    m = "rel skel:animationSource = </L/M>\n",
                    n = "rel skel:animationSource = </L/N>\n";
  EXPECT_EQ(InstancesOf("def SkelRoot \"A\" {\n" + m + "def \"B\" { " + s + " }\ndef \"C\" { " + t +
                        " } }"),
            "/A/B+/L/S=/L/M /A/C+/L/T=/L/M ");
  EXPECT_EQ(InstancesOf("def SkelRoot \"A\" {\n" + s + "def \"B\" { " + m + " }\ndef \"C\" { " + n +
                        " } }"),
            "/A+/L/S=rest /L/T=rest ");
  EXPECT_EQ(InstancesOf("def SkelRoot \"A\" {\n" + s + m + "def \"B\" { " + n + " }\ndef \"C\" { " +
                        n + s + " } }"),
            "/A+/L/S=/L/M /A/C+/L/S=/L/N /L/T=rest ");
  // Meshes that are bound alike are of one instance.
  EXPECT_EQ(InstancesOf("def SkelRoot \"A\" {\n" + m + "def \"B\" { " + s + " }\ndef \"C\" { " + s +
                        " } }"),
            "/A/B+/A/C+/L/S=/L/M /L/T=rest ");
}

TEST(UsdSkeleton, BindingsOutsideASkelRootAreIgnoredUnlessTheyAreToCount) {
  const std::string body =
      "def Xform \"A\" { rel skel:skeleton = </L/S>\nrel skel:animationSource = </L/M> }";
  EXPECT_EQ(
      InstancesOf(body),
      "/L/S=rest /L/T=rest /A: a skeleton is bound outside a SkelRoot, where bindings have no "
      "meaning (--outside-skel-root uses them)");
  EXPECT_EQ(InstancesOf(body, {.outside_skel_root = true}), "/A+/L/S=/L/M /L/T=rest ");
  const std::string alone =
      "def Xform \"A\" { rel skel:animationSource = </L/M>\ndef Skeleton \"K\" {} }";
  EXPECT_THAT(InstancesOf(alone),
              AllOf(HasSubstr("/A/K=rest"), HasSubstr("/A: a skeleton is bound")));
  EXPECT_THAT(InstancesOf(alone, {.outside_skel_root = true}), HasSubstr("/A/K=/L/M"));
}

TEST(UsdSkeleton, JointsOfManyInstancesAreBounded) {
  std::string body = "def SkelRoot \"R\" {\ndef Skeleton \"K\" { uniform token[] joints = [";
  for (int j = 0; j < 1000; ++j) absl::StrAppend(&body, j > 0 ? ", " : "", "\"j", j, "\"");
  body += "] }\n";
  for (int i = 0; i < 140; ++i) {
    absl::StrAppend(&body, "def SkelAnimation \"M", i, "\" {}\ndef \"B", i,
                    "\" { rel skel:skeleton = </R/K>\nrel skel:animationSource = </R/M", i,
                    "> }\n");
  }
  const auto skeletons = ReadSkeletons(Staged(body + "}"));
  EXPECT_EQ(skeletons.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(skeletons.status().message(), HasSubstr("/R/K is bound with so many animations"));
}

// Each instance has its joints' names again.
TEST(UsdSkeleton, NamesOfManyInstancesAreBounded) {
  std::string body =
      absl::StrCat("def SkelRoot \"R\" {\ndef Skeleton \"K\" { uniform token[] joints = [\"",
                   std::string(1 << 20, 'n'), "\"] }\n");
  for (int i = 0; i < 40; ++i) {
    absl::StrAppend(&body, "def SkelAnimation \"M", i, "\" {}\ndef \"B", i,
                    "\" { rel skel:skeleton = </R/K>\nrel skel:animationSource = </R/M", i,
                    "> }\n");
  }
  const auto skeletons = ReadSkeletons(Staged(body + "}"));
  EXPECT_EQ(skeletons.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(skeletons.status().message(), HasSubstr("over 64 MiB of joints' names"));
}

std::string Scaled(const std::string& scale) {
  return Two(absl::StrCat(kAll, "half3[] scales = [(1,1,1), (1,1,1), (1,1,1)]"),
             absl::StrCat("float3 xformOp:scale", scale,
                          "\nuniform token[] xformOpOrder = [\"xformOp:scale\"]\n"));
}

TEST(UsdSkeleton, OneThatPopsInRestsAtTheFirstTimeWithASize) {
  const Stage stage = Staged(Scaled(".timeSamples = { 0: (0,0,0), 12: (2,2,2), 24: (4,4,4) }"));
  const auto skeletons = ReadSkeletons(stage);
  ASSERT_TRUE(skeletons.ok()) << skeletons.status();
  const Skeleton& s = skeletons->all[0];
  EXPECT_THAT(s.names, ElementsAre("S", "S/A", "S/A/B"));
  EXPECT_EQ(s.rest_time, 12);
  EXPECT_EQ(s.rest[2].translation.y, 2);
  SkeletonMotion motion(stage, s);
  EXPECT_THAT(motion.Times("scales"), ElementsAre(0, 12, 24));
  for (const auto& [time, scale] : {std::pair{0.0, 0.0}, {6, .5}, {12, 1}, {24, 2}}) {
    const std::vector<JointPlace>& pose = motion.PoseAt(time);
    EXPECT_NEAR(pose[0].scale.x, scale, 1e-5) << time;
    EXPECT_NEAR(pose[0].rotation.w, 1, 1e-5) << time;
    EXPECT_NEAR(pose[1].translation.x, 4 * 2, 1e-5) << time;
  }
}

TEST(UsdSkeleton, OneWithoutASizeOnAnAxisHasFiniteScales) {
  for (const std::string scale : {"(0, 1, 1)", "(0, 0, 0)"}) {
    const Stage stage = Staged(Scaled(" = " + scale));
    const auto skeletons = ReadSkeletons(stage);
    ASSERT_TRUE(skeletons.ok()) << skeletons.status();
    const JointPlace top = SkeletonMotion(stage, skeletons->all[0]).PoseAt(0)[0];
    EXPECT_EQ(top.scale.x, 0) << scale;
    EXPECT_TRUE(std::isfinite(skel::Dot(top.rotation, top.rotation))) << scale;
  }
}

TEST(UsdSkeleton, ATransformThatIsNoNumberIsLeftOutWithAWarning) {
  for (const std::string scale : {"(1e30, 1, 1)", "(1, inf, 1)", "(nan, 1, 1)"}) {
    const Stage stage = Staged(Scaled(" = " + scale));
    const auto skeletons = ReadSkeletons(stage);
    ASSERT_TRUE(skeletons.ok()) << skeletons.status();
    const Skeleton& s = skeletons->all[0];
    EXPECT_THAT(s.warnings, ElementsAre(HasSubstr("/R/S has a transform with numbers over 1e9")));
    EXPECT_THAT(s.names, ElementsAre("A", "A/B"));
    EXPECT_EQ(SkeletonMotion(stage, s).PoseAt(0)[0].translation.x, 4) << scale;
  }
}

// Its joint B is bound a metre above A; the skeleton is stretched along X, mirrored, and moved.
TEST(UsdSkeleton, AStretchedOrMirroredOneHasAJointOfThatScaleAboveItsRoots) {
  for (const auto& [size, mean] : {std::pair{"(4, 2, 1)", 2.0f}, {"(-3, 3, 3)", 3.0f}}) {
    const Stage stage = Staged(
        Two(absl::StrCat(kAll, "half3[] scales = [(1,1,1), (1,1,1), (1,1,1)]"),
            absl::StrCat("double3 xformOp:translate = (1, 2, 3)\nfloat3 xformOp:scale = ", size,
                         "\nuniform token[] xformOpOrder = [\"xformOp:translate\", "
                         "\"xformOp:scale\"]\n")));
    const auto skeletons = ReadSkeletons(stage);
    ASSERT_TRUE(skeletons.ok()) << skeletons.status();
    const Skeleton& s = skeletons->all[0];
    EXPECT_THAT(s.names, ElementsAre("S", "S/A", "S/A/B"));
    EXPECT_THAT(s.parents, ElementsAre(-1, 0, 1));
    EXPECT_THAT(s.warnings, ElementsAre());
    EXPECT_EQ(s.mirrored(), size[1] == '-');
    SkeletonMotion motion(stage, s);
    const std::vector<JointPlace> pose = motion.PoseAt(0);
    EXPECT_NEAR(pose[1].translation.x, 4 * mean, 1e-5);
    EXPECT_NEAR(pose[0].scale.x, 1, 1e-5);
    // Where the stage has B: the place of A, then the skeleton's own.
    skel::Affine model;
    for (size_t j = 3; j-- > 0;) {
      const skel::Vec3 scale = j == 0 ? s.rest[0].scale : skel::Vec3{1, 1, 1};
      model = skel::Mul(model, skel::FromTrs(pose[j].translation, pose[j].rotation, scale));
    }
    const skel::Affine wanted =
        skel::Mul(skel::FromTrs({1 + 4, 2 + 5, 3 + 6}, {}, {1, 1, 1}), stage.ToStage(s.prim, 0));
    EXPECT_LT(skel::Length(model.row[3] - wanted.row[3]), 1e-4) << size;
  }
}

TEST(UsdSkeleton, RejectsJointsOutOfOrder) {
  const auto why = [](const std::string& joints) {
    const Stage stage = Staged("\ndef Skeleton \"S\" { uniform token[] joints = " + joints + " }");
    return std::string(ReadSkeletons(stage).status().message());
  };
  EXPECT_EQ(why("[\"A/B\", \"C\", \"A\"]"),
            "line 4: /S: joints[0], \"A/B\", stands before its parent");
  EXPECT_THAT(why("[\"A\", \"A\"]"), HasSubstr("joints[1] is \"A\", as joints[0] is"));
}

TEST(UsdSkeleton, NamesAreTheArtistsWhereThereAre) {
  const Stage stage = Staged(
      "def Skeleton \"S\" { uniform token[] joints = [\"n0\", \"n0/n1\"]\n"
      "uniform token[] jointNames = [\"mixamorig:Hips\", \"Spine 1\"] }\n"
      "def Skeleton \"T\" { uniform token[] joints = [\"n0\", \"n0/n1\"]\n"
      "uniform token[] jointNames = [\"a/b\", \"c\"] }");
  const auto skeletons = ReadSkeletons(stage);
  ASSERT_TRUE(skeletons.ok());
  EXPECT_THAT(skeletons->all[0].names, ElementsAre("mixamorig:Hips", "mixamorig:Hips/Spine 1"));
  EXPECT_THAT(skeletons->all[1].names, ElementsAre("n0", "n0/n1"));
}

// Each name holds those above it, so a long one at the root of a long chain would fill the memory.
TEST(UsdSkeleton, NamesThatAreTooLongTogetherAreThePaths) {
  const std::string label(200'000, 'n');
  const Stage stage = Staged(
      "def Skeleton \"S\" { uniform token[] joints = [\"a\", \"a/b\", \"a/b/c\", \"a/b/c/d\", "
      "\"a/b/c/d/e\", \"a/b/c/d/e/f\"]\n"
      "uniform token[] jointNames = [\"" +
      label + "\", \"B\", \"C\", \"D\", \"E\", \"F\"] }");
  const auto skeletons = ReadSkeletons(stage);
  ASSERT_TRUE(skeletons.ok());
  EXPECT_EQ(skeletons->all[0].names, skeletons->all[0].joints);
}

}  // namespace
}  // namespace posewire::usd
