// Characters from USD stages: the small ones here, and OpenUSD's own scenes beside what OpenUSD
// baked of them, where ../shared/data has them.
#include "libs/formats/usd/stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/character/deformer.h"
#include "libs/character_file/read_character.h"
#include "libs/formats/gltf/character_writer.h"
#include "libs/formats/usd/compose.h"
#include "libs/formats/usd/shapes.h"
#include "libs/formats/usd/skeleton.h"
#include "tests/unit/character/reading.h"

namespace posewire::character {
namespace {

using skel::Affine;
using skel::Vec3;
using testing::ElementsAre;
using testing::HasSubstr;

std::string File(const std::string& name) {
  const char* const source = std::getenv("POSEWIRE_SOURCE_DIR");
  std::ifstream file(absl::StrCat(source == nullptr ? "." : source, "/../shared/data/", name));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::unique_ptr<usd::Stage> StageOf(const std::string& text) {
  auto layer = usd::Compose(text, nullptr);
  EXPECT_TRUE(layer.ok()) << layer.status();
  return std::make_unique<usd::Stage>(layer.ok() ? *std::move(layer) : usd::Layer{});
}

// What one animation makes of a character on its own rig.
skel::Pose PoseOf(const Character& c, usd::SkeletonMotion& motion, double time) {
  skel::Pose pose(c.rig->joints(), c.rig->shapes());
  const std::vector<usd::JointPlace>& joints = motion.PoseAt(time);
  for (size_t j = 0; motion.moves_joints() && j < joints.size(); ++j) {
    pose.span().SetTranslation(static_cast<int>(j), joints[j].translation);
    pose.span().SetRotation(static_cast<int>(j), joints[j].rotation);
    pose.span().SetScale(static_cast<int>(j), joints[j].scale);
  }
  const std::vector<double> weights = motion.WeightsAt(time);
  for (size_t s = 0; s < weights.size(); ++s) {
    const int shape = c.rig->FindShape(motion.shapes()[s]);
    if (shape >= 0) pose.span().SetWeight(shape, static_cast<float>(weights[s]));
  }
  return pose;
}

// How far the character is from what OpenUSD baked at most, in the stage's units, over all points
// and times; `looked_at` gets their number.
double WorstOf(const std::string& name, size_t& looked_at) {
  const std::string text = File(name + ".usda");
  const std::shared_ptr<const Character> c = Good(text);
  const std::unique_ptr<usd::Stage> stage = StageOf(text);
  const std::unique_ptr<usd::Stage> baked = StageOf(File(name + ".baked.usda"));
  const auto skeletons = usd::ReadSkeletons(*stage);
  EXPECT_TRUE(skeletons.ok() && skeletons->all.size() == 1u);
  usd::SkeletonMotion motion(*stage, skeletons->all[0]);
  const Affine to_character = skel::Mul(
      stage->to_our_space(), skel::FromTrs(c->root.translation, c->root.rotation, c->root.scale));
  const Affine back = skel::Inverse(to_character).value_or(Affine{});
  Deformer deformer(c);
  double worst = 0;
  size_t mesh = 0;
  for (size_t i = 0; i < stage->nodes().size(); ++i) {
    const usd::Stage::Node& node = stage->nodes()[i];
    if (!usd::HasSurface(node.prim->type) || mesh >= c->meshes.size()) continue;
    // The other scene has its truth beside it, which no skeleton moves.
    if (absl::StartsWith(node.path, "/GroundTruth")) {
      ++mesh;
      continue;
    }
    const auto surface = ReadSurface(*stage, static_cast<int>(i));
    EXPECT_TRUE(surface.ok() && c->meshes[mesh].name == node.prim->name);
    const int golden = baked->Find(node.path);
    const bool points = node.prim->type == "Mesh";
    std::vector<double> times = golden < 0
                                    ? std::vector<double>()
                                    : baked->Times(golden, points ? "points" : "xformOp:transform");
    for (const double time : times) {
      EXPECT_TRUE(deformer.Pose(PoseOf(*c, motion, time).view()).ok());
      const std::vector<double> expected = baked->Numbers(golden, "points", time);
      const Affine place = baked->ToStage(golden, time);
      for (size_t p = 0; p < surface->point_of.size(); ++p) {
        const size_t k = 3 * surface->point_of[p];
        const Vec3 file_point = points ? Vec3{static_cast<float>(expected.at(k)),
                                              static_cast<float>(expected.at(k + 1)),
                                              static_cast<float>(expected.at(k + 2))}
                                       : surface->points[p];
        const Vec3 is = skel::TransformPoint(back, deformer.points(mesh)[p]);
        const Vec3 off = is - skel::TransformPoint(place, file_point);
        worst = std::max(worst, static_cast<double>(skel::Length(off)));
        ++looked_at;
      }
    }
    ++mesh;
  }
  return worst;
}

TEST(StageCharacter, SkinningIsAsOpenUsdBakesIt) {
  if (File("lbs.usda").empty()) GTEST_SKIP() << "no ../shared/data/lbs.usda";
  size_t points = 0;
  EXPECT_LT(WorstOf("lbs", points), 1e-4);
  // Three meshes and three solids, 30 times.
  EXPECT_GT(points, 30u * (40 + 40 + 12 + 100));
}

TEST(StageCharacter, BlendShapesAreAsOpenUsdBakesThem) {
  if (File("blendshapes.usda").empty()) GTEST_SKIP() << "no ../shared/data/blendshapes.usda";
  size_t points = 0;
  EXPECT_LT(WorstOf("blendshapes", points), 1e-4);
  EXPECT_GT(points, 100u * 121);
}

// A square of a metre that joint A/B carries, bound through its SkelRoot.
std::string Square(const std::string& of_mesh, const std::string& more = "") {
  const std::string one = "((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))";
  const std::string up = "((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1))";
  return absl::StrCat(R"(#usda 1.0
( metersPerUnit = 1 )
def SkelRoot "R" {
 rel skel:skeleton = </R/S>
 def Skeleton "S" {
  uniform token[] joints = ["A", "A/B"]
  uniform matrix4d[] bindTransforms = [)",
                      one, ", ", up, "]\n  uniform matrix4d[] restTransforms = [", one, ", ", up,
                      "]\n }\n", more, R"(
 def Mesh "M" {
  point3f[] points = [(0,0,0), (1,0,0), (1,1,0), (0,1,0)]
  int[] faceVertexCounts = [4]
  int[] faceVertexIndices = [0, 1, 2, 3]
)",
                      of_mesh, "\n } }");
}

constexpr char kInfluences[] =
    "int[] primvars:skel:jointIndices = [0, 1] ( elementSize = 2; interpolation = \"constant\" )\n"
    "float[] primvars:skel:jointWeights = [0, 1] ( elementSize = 2; interpolation = \"constant\" "
    ")\n";

TEST(StageCharacter, ItsOwnSkeletonIsItsRig) {
  const auto c = Good(Square(kInfluences));
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(c->rig->joint_paths(), ElementsAre("A", "A/B"));
  EXPECT_THAT(c->missing_joints, ElementsAre());
  skel::Pose pose(2, 0);
  pose.span().SetRotation(1, skel::FromAxisAngle({0, 0, 1}, 3.14159265f / 2));
  Deformer deformer(c);
  ASSERT_TRUE(deformer.Pose(pose.view()).ok());
  // (1, 1) turns about (0, 1).
  EXPECT_NEAR(deformer.points(0)[2].x - deformer.points(0)[3].x, 0, 1e-6);
  EXPECT_NEAR(deformer.points(0)[2].y - deformer.points(0)[3].y, 1, 1e-6);
}

// Its skeleton is a rig of ours, of which all joints are found: the root, too.
TEST(StageCharacter, JointsOfOurRigsAreMovedByThem) {
  const auto rig = Rigs().Find("hanim_loa1");
  ASSERT_TRUE(rig.ok());
  std::string joints, rest, bind;
  std::vector<Affine> places;
  const auto matrix = [](const Affine& m) {
    std::string out = "(";
    for (size_t r = 0; r < 4; ++r) {
      absl::StrAppend(&out, r > 0 ? ", " : "", "(", m.row[r].x, ", ", m.row[r].y, ", ", m.row[r].z,
                      ", ", r == 3 ? 1 : 0, ")");
    }
    return out + ")";
  };
  for (int j = 0; j < (*rig)->joints(); ++j) {
    const Affine own = skel::FromTrs((*rig)->rest().translation(j), {}, {1, 1, 1});
    const int parent = (*rig)->topology().parent(j);
    places.push_back(parent < 0 ? own : skel::Mul(own, places[static_cast<size_t>(parent)]));
    absl::StrAppend(&joints, j > 0 ? ", " : "", "\"", (*rig)->joint_paths()[static_cast<size_t>(j)],
                    "\"");
    absl::StrAppend(&rest, j > 0 ? ", " : "", matrix(own));
    absl::StrAppend(&bind, j > 0 ? ", " : "", matrix(places.back()));
  }
  std::string text = Square(kInfluences);
  const size_t from = text.find("  uniform token[] joints"), to = text.find(" }\n", from);
  text.replace(
      from, to - from,
      absl::StrCat("uniform token[] joints = [", joints, "]\nuniform matrix4d[] bindTransforms = [",
                   bind, "]\nuniform matrix4d[] restTransforms = [", rest, "]\n"));
  const auto c = Good(text);
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->rig, *rig);
  EXPECT_THAT(c->missing_joints, ElementsAre());
}

// A Skeleton that is bound at two prims, each with a mesh, and a mesh outside a SkelRoot.
std::string BoundTwice() {
  const auto animation = [](int x) {
    return absl::StrCat("uniform token[] joints = [\"A\"]\nfloat3[] translations = [(", x,
                        ", 0, 0)]\nquatf[] rotations = [(1, 0, 0, 0)]\n"
                        "half3[] scales = [(1, 1, 1)]\n");
  };
  std::string mesh = Square(kInfluences);
  mesh = mesh.substr(mesh.find(" def Mesh"));
  mesh.resize(mesh.rfind("}"));
  std::string text = Square("");
  text.resize(text.find(" def Mesh"));
  absl::StrAppend(&text, " def SkelAnimation \"P\" { ", animation(1), " }\n",
                  " def SkelAnimation \"Q\" { ", animation(2), " }\n",
                  " rel skel:animationSource = </R/P>\n", mesh,
                  " def \"C\" { rel skel:skeleton = </R/S>\n"
                  "rel skel:animationSource = </R/Q>\n",
                  mesh, "} }\ndef Xform \"O\" { rel skel:skeleton = </R/S>\n", mesh, "}\n");
  return text;
}

TEST(StageCharacter, MeshesFollowTheInstanceThatTheyAreBoundTo) {
  const auto c = Good(BoundTwice());
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->meshes.size(), 3u);
  EXPECT_EQ(c->skins.size(), 2u);
  EXPECT_EQ(c->meshes[0].skin, 0);
  EXPECT_EQ(c->meshes[1].skin, 1);
  EXPECT_EQ(c->meshes[2].skin, -1);
  EXPECT_THAT(c->notes, testing::Contains(HasSubstr("/O: a skeleton is bound outside a SkelRoot")));
  const auto all =
      character_file::ReadCharacter(BoundTwice(), "test", Rigs(), {.outside_skel_root = true});
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_GE((*all)->meshes[2].skin, 0);
}

TEST(StageCharacter, OneOfASceneHasTheMeshesOfItsInstance) {
  for (const char* name : {"R", "C"}) {
    const auto c = character_file::ReadCharacter(BoundTwice(), "test", Rigs(), {.one = name});
    ASSERT_TRUE(c.ok()) << c.status();
    EXPECT_EQ((*c)->meshes.size(), 1u) << name;
    EXPECT_EQ((*c)->skins.size(), 1u) << name;
    EXPECT_EQ((*c)->meshes[0].skin, 0) << name;
  }
  EXPECT_THAT(
      character_file::ReadCharacter(BoundTwice(), "test", Rigs(), {.one = "D"}).status().message(),
      HasSubstr("there is no character \"D\"; there are R, C"));
  EXPECT_THAT(
      character_file::ReadCharacter(Square(""), "test", Rigs(), {.one = "D"}).status().message(),
      HasSubstr("there is no character \"D\"; the stage has none"));
}

TEST(StageCharacter, JointsOfAMeshAreFoundByTheirPaths) {
  const auto c = Good(Square(
      "uniform token[] skel:joints = [\"A/B\", \"A\"]\n"
      "int[] primvars:skel:jointIndices = [0] ( elementSize = 1; interpolation = \"constant\" )\n"
      "float[] primvars:skel:jointWeights = [1] ( interpolation = \"constant\" )"));
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->meshes.size(), 1u);
  EXPECT_THAT(c->meshes[0].joints, ElementsAre(1, 1, 1, 1));
}

// As the page of `view` gets it.
TEST(StageCharacter, ComesBackFromAGlbWithAllInbetweensAndFiveInfluences) {
  const auto c = Good(Square(
      "int[] primvars:skel:jointIndices = [0, 1, 0, 1, 0] ( elementSize = 5; interpolation = "
      "\"constant\" )\n"
      "float[] primvars:skel:jointWeights = [0.3, 0.25, 0.2, 0.15, 0.1] ( elementSize = 5; "
      "interpolation = \"constant\" )\n"
      "uniform token[] skel:blendShapes = [\"smile\"]\n"
      "rel skel:blendShapeTargets = [</R/M/B>]\n"
      "def BlendShape \"B\" { uniform vector3f[] offsets = [(0,0,1), (0,0,1), (0,0,1), (0,0,1)]\n"
      "uniform vector3f[] inbetweens:over = [(0,1,0), (0,1,0), (0,1,0), (0,1,0)] ( weight = 1.5 )\n"
      "uniform vector3f[] inbetweens:under = [(1,0,0), (1,0,0), (1,0,0), (1,0,0)] ( weight = -0.5 "
      ") }"));
  ASSERT_NE(c, nullptr);
  const auto glb = gltf::WriteCharacter(*c, nullptr, {.influences = 8});
  ASSERT_TRUE(glb.ok()) << glb.status();
  const auto back = Good(*glb);
  ASSERT_NE(back, nullptr);
  ASSERT_EQ(back->meshes.size(), 1u);
  EXPECT_EQ(back->meshes[0].per_point, 8);
  EXPECT_FLOAT_EQ(back->meshes[0].weights[4], 0.1f);
  const auto at = std::find_if(back->meshes[0].shapes.begin(), back->meshes[0].shapes.end(),
                               [](const auto& shape) { return shape.name() == "smile"; });
  ASSERT_NE(at, back->meshes[0].shapes.end());
  std::vector<float> keys;
  for (const mesh::ShapeKey& key : at->keys()) keys.push_back(key.weight);
  EXPECT_THAT(keys, ElementsAre(-0.5f, 0, 1, 1.5f));
}

TEST(StageCharacter, InfluencesThatCannotBeLeaveItUnskinned) {
  const auto c =
      Good(Square("int[] primvars:skel:jointIndices = [0, 1] ( interpolation = \"constant\" )\n"
                  "float[] primvars:skel:jointWeights = [0, 1] ( interpolation = \"constant\" )"));
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->meshes[0].skin, -1);
  ASSERT_FALSE(c->notes.empty());
  EXPECT_THAT(c->notes[0], HasSubstr("/R/M is not skinned"));
}

TEST(StageCharacter, LooksAreThoseOfThePreviewSurface) {
  const auto c = Good(Square(absl::StrCat(kInfluences, R"(
  uniform bool doubleSided = true
  color3f[] primvars:displayColor = [(0, 0, 1)]
  rel material:binding = </R/Red>)"),
                             R"( def Material "Red" {
  token outputs:surface.connect = </R/Red/P.outputs:surface>
  def Shader "P" { uniform token info:id = "UsdPreviewSurface"
   color3f inputs:diffuseColor = (1, 0, 0)
   float inputs:roughness = 0.25 } })"));
  ASSERT_NE(c, nullptr);
  const Material& m = c->materials[static_cast<size_t>(c->meshes[0].material)];
  EXPECT_EQ(m.name, "Red");
  EXPECT_EQ(m.color.x, 1);
  EXPECT_EQ(m.color.z, 0);
  EXPECT_EQ(m.roughness, .25f);
  EXPECT_TRUE(m.double_sided);
  const auto blue = Good(Square("color3f[] primvars:displayColor = [(0, 0, 1)]"));
  ASSERT_NE(blue, nullptr);
  EXPECT_EQ(blue->materials[static_cast<size_t>(blue->meshes[0].material)].color.z, 1);
}

TEST(StageCharacter, RejectsWithTheLine) {
  EXPECT_THAT(WhyNot("#usda 1.0\nfoo"), HasSubstr("test: line 2: expected"));
  std::string far = Square(kInfluences);
  far.replace(far.find("[0, 1, 2, 3]"), 12, "[0, 1, 2, 4]");
  EXPECT_THAT(WhyNot(far), HasSubstr("line 11: /R/M: faceVertexIndices[3] is 4, expected 0 to 4"));
  for (const char* count : {"3.5", "nan", "1e300", "-4", "5"}) {
    std::string odd = Square(kInfluences);
    odd.replace(odd.find("[4]"), 3, absl::StrCat("[", count, "]"));
    EXPECT_THAT(WhyNot(odd), HasSubstr("line 11: /R/M: faceVertex")) << count;
  }
  std::string endless = Square(kInfluences);
  endless.replace(endless.find("(1,1,0)"), 7, "(inf,1,0)");
  EXPECT_THAT(WhyNot(endless), HasSubstr("mesh M has points or weights that are no number"));
  EXPECT_THAT(WhyNot("#usda 1.0\ndef Xform \"X\" {}"), HasSubstr("nothing of its scene is shown"));
  EXPECT_THAT(WhyNot("#usda 1.0\ndef Xform \"X\" (references = @a.usda@) {}"),
              HasSubstr("must stand alone"));
}

// UsdSkelAnimMapper gives the identity for joints that the skeleton lacks: Maya writes "." for a
// group. The points are those that OpenUSD 26.11 bakes.
TEST(StageCharacter, JointsThatTheSkeletonLacksStandStill) {
  const auto tube = [](const std::string& joints, const std::string& above = "") {
    return absl::StrCat(
        "#usda 1.0\n( metersPerUnit = 1\n upAxis = \"Y\" )\n", above,
        "def SkelRoot \"Char\" {\n rel skel:skeleton = </Char/Skel>\n def Skeleton \"Skel\" {\n"
        "uniform token[] joints = [\"Root\", \"Root/Mid\"]\nuniform matrix4d[] bindTransforms = "
        "[((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1))]\n"
        "uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1)), "
        "((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1))]\n}\ndef Mesh \"Tube\" {\n"
        "int[] faceVertexCounts = [4, 4]\nint[] faceVertexIndices = [0,1,3,2, 2,3,5,4]\n"
        "point3f[] points = [(-.2,0,0),(.2,0,0),(-.2,1.5,0),(.2,1.5,0),(-.2,3,0),(.2,3,0)]\n"
        "int[] primvars:skel:jointIndices = [0,0,1,1,1,0] ( elementSize = 1\n interpolation = "
        "\"vertex\" )\nfloat[] primvars:skel:jointWeights = [1,1,1,1,1,1] ( elementSize = 1\n "
        "interpolation = \"vertex\" )\n",
        joints, "\n} }\n");
  };
  const auto c = Good(tube("uniform token[] skel:joints = [\".\", \"Root/Mid\"]"));
  const auto plain = Good(tube(""));
  ASSERT_TRUE(c && plain);
  EXPECT_THAT(c->notes, testing::Contains(testing::AllOf(
                            HasSubstr("/Char/Tube has skel:joints that /Char/Skel lacks"),
                            HasSubstr("\".\""))));
  EXPECT_THAT(c->rig->joint_paths(), ElementsAre("Root", "Root/Mid"));
  const auto points = [](const Character& of, float root, float mid) {
    skel::Pose pose(2, of.rig->shapes());
    pose.span().CopyFrom(of.rig->rest());
    pose.span().SetRotation(0, skel::FromAxisAngle({0, 0, 1}, root));
    pose.span().SetRotation(1, skel::FromAxisAngle({0, 0, 1}, mid));
    Deformer deformer(std::shared_ptr<const Character>(std::shared_ptr<void>(), &of));
    EXPECT_TRUE(deformer.Pose(pose.view()).ok());
    std::vector<Vec3> out(6);
    for (size_t i = 0; i < of.meshes[0].point_of.size(); ++i) {
      out[of.meshes[0].point_of[i]] = deformer.points(0)[i] - of.root.translation;
    }
    return out;
  };
  const std::vector<Vec3> turned = points(*c, 0, 1.5707963f), as = points(*plain, 0, 1.5707963f);
  for (size_t i = 0; i < 6; ++i) EXPECT_LT(skel::Length(turned[i] - as[i]), 1e-5f) << i;
  EXPECT_NEAR(turned[4].x, -2, 1e-5f);
  EXPECT_NEAR(turned[4].y, .8f, 1e-5f);
  // Where the root turns, what the mesh calls by another name stays.
  const std::vector<Vec3> both = points(*c, 1.5707963f, 0);
  EXPECT_NEAR(both[1].x, .2f, 1e-5f);
  EXPECT_NEAR(both[5].y, 3, 1e-5f);
  EXPECT_NEAR(both[2].x, -1.5f, 1e-5f);
}

TEST(StageCharacter, AMeshOfMayaIsSkinnedAsOpenUsdBakesIt) {
  const char* const source = std::getenv("POSEWIRE_SOURCE_DIR");
  const auto text = [&](const std::string& name) {
    std::ifstream file(absl::StrCat(source == nullptr ? "." : source,
                                    "/tests/field/09-usd-dot-joint/", name, ".usda"));
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const Vec3 baked[] = {{-.2f, 0, 0},      {.2f, 0, 0},  {-.5f, .8f, 0},
                        {-.5f, 1.325f, 0}, {-2, .8f, 0}, {-2, 1.2f, 0}};
  for (const char* const name : {"tube", "plain"}) {
    const std::shared_ptr<const Character> c = Good(text(name));
    ASSERT_NE(c, nullptr);
    const std::unique_ptr<usd::Stage> stage = StageOf(text(name));
    const auto skeletons = usd::ReadSkeletons(*stage);
    ASSERT_TRUE(skeletons.ok());
    usd::SkeletonMotion motion(*stage, skeletons->all[0]);
    Deformer deformer(c);
    ASSERT_TRUE(deformer.Pose(PoseOf(*c, motion, 24).view()).ok());
    for (size_t i = 0; i < c->meshes[0].point_of.size(); ++i) {
      const Vec3 at = deformer.points(0)[i] - c->root.translation;
      EXPECT_LT(skel::Length(at - baked[c->meshes[0].point_of[i]]), 1e-5f) << name << " " << i;
    }
  }
}

TEST(StageCharacter, JointsThatStandStillAreWhereTheSkeletonStands) {
  const std::string text =
      "#usda 1.0\n( metersPerUnit = 0.01\n upAxis = \"Z\" )\ndef SkelRoot \"Char\" {\n"
      "double3 xformOp:translate = (100, 0, 0)\nuniform token[] xformOpOrder = "
      "[\"xformOp:translate\"]\nrel skel:skeleton = </Char/Skel>\n def Skeleton \"Skel\" {\n"
      "uniform token[] joints = [\"Root\"]\nuniform matrix4d[] bindTransforms = "
      "[((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]\nuniform matrix4d[] restTransforms = "
      "[((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]\n}\ndef Mesh \"M\" {\n"
      "int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0,1,2]\n"
      "point3f[] points = [(0,0,0),(50,0,0),(0,0,100)]\n"
      "int[] primvars:skel:jointIndices = [0,1,0] ( interpolation = \"vertex\" )\n"
      "float[] primvars:skel:jointWeights = [1,1,1] ( interpolation = \"vertex\" )\n"
      "uniform token[] skel:joints = [\"Root\", \"gone\"]\n} }\n";
  const auto c = Good(text);
  ASSERT_NE(c, nullptr);
  Deformer deformer(c);
  ASSERT_TRUE(deformer.Pose(c->rig->rest()).ok());
  const Vec3 a = deformer.points(0)[0], b = deformer.points(0)[1];
  EXPECT_LT(skel::Length(b - a - Vec3{.5f, 0, 0}), 1e-5f) << b.x << " " << b.y << " " << b.z;
}

}  // namespace
}  // namespace posewire::character
