// Characters from X3D files: a small person here, and Joe of the Web3D Consortium's examples where
// ../shared/data has him.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/character/deformer.h"
#include "libs/character/read_character.h"
#include "libs/x3d/read_scene.h"
#include "libs/x3d/write_scene.h"
#include "tests/unit/character/x3d_person.h"

namespace posewire::character {
namespace {

using skel::Quat;
using skel::Vec3;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const skel::RigCatalog& Rigs() {
  static const auto* rigs = new skel::RigCatalog(*skel::RigCatalog::Builtin("arkit68"));
  return *rigs;
}

std::shared_ptr<const Character> Read(const std::string& text,
                                      const gltf::ReadBeside& beside = nullptr) {
  auto out = ReadCharacter(text, "test", Rigs(), {}, beside);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? *out : nullptr;
}

std::string WhyNot(const std::string& text, const Limits& limits = {}) {
  const auto out = ReadCharacter(text, "test", Rigs(), limits);
  return out.ok() ? "is read" : std::string(out.status().message());
}

// A square of skin at the left forearm, in the order of its points: two at the elbow, two at the
// wrist. By default it is the whole skin.
std::string Skin(const std::string& geometry, const std::string& appearance = "") {
  return absl::StrCat(
      "<Coordinate DEF='c' containerField='skinCoord' point='.15 1.1 0, .25 1.1 0, "
      ".25 .85 0, .15 .85 0'/>\n<Shape DEF='arm' containerField='skin'>",
      appearance, geometry, "</Shape>\n");
}
constexpr char kSquare[] =
    "<IndexedFaceSet coordIndex='3 2 1 0 -1'><Coordinate USE='c'/></IndexedFaceSet>";

X3dPerson Skinned() {
  X3dPerson person;
  person.attributes["l_elbow"] = "skinCoordIndex='0 1 2 3' skinCoordWeight='.5 .5 1 1'";
  person.attributes["l_shoulder"] = "skinCoordIndex='0 1' skinCoordWeight='.5 .5'";
  person.more = Skin(kSquare);
  return person;
}

void Near(Vec3 a, Vec3 b, float most = 1e-4f) {
  EXPECT_LT(skel::Length(a - b), most)
      << a.x << " " << a.y << " " << a.z << " is not " << b.x << " " << b.y << " " << b.z;
}

// Where the file's points of a mesh are in a pose; the person stands where its file has it.
std::vector<Vec3> PointsIn(const Character& c, const skel::Pose& pose, size_t mesh = 0) {
  Deformer deformer(std::shared_ptr<const Character>(std::shared_ptr<void>(), &c));
  EXPECT_TRUE(deformer.Pose(pose.view()).ok());
  std::vector<Vec3> out(c.meshes[mesh].file_points);
  for (size_t i = 0; i < c.meshes[mesh].points.size(); ++i) {
    out[c.meshes[mesh].point_of[i]] = deformer.points(mesh)[i] - c.root.translation;
  }
  return out;
}

skel::Pose RestOf(const Character& c) {
  skel::Pose pose(c.rig->joints(), c.rig->shapes());
  pose.span().CopyFrom(c.rig->rest());
  return pose;
}

void Turn(const Character& c, const std::string& joint, Vec3 axis, float angle, skel::Pose& pose) {
  const int j = c.rig->FindJoint(joint);
  ASSERT_GE(j, 0) << joint;
  pose.span().SetRotation(j,
                          skel::Mul(c.rig->rest().rotation(j), skel::FromAxisAngle(axis, angle)));
}

TEST(X3dCharacter, SkinFollowsItsJointsByTheirWeights) {
  const auto c = Read(Skinned().Text());
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->rig->name(), "hanim_loa1");
  EXPECT_TRUE(c->same_joints);
  skel::Pose pose = RestOf(*c);
  std::vector<Vec3> at = PointsIn(*c, pose);
  Near(at[0], {.15f, 1.1f, 0});
  Near(at[2], {.25f, .85f, 0});
  // The forearm comes forward by a quarter turn about the elbow, at (0.2, 1.1, 0).
  Turn(*c, "l_elbow", {-1, 0, 0}, 1.5707963f, pose);
  at = PointsIn(*c, pose);
  Near(at[0], {.15f, 1.1f, 0});  // on the elbow's axis
  Near(at[2], {.25f, 1.1f, .25f});
  Near(at[3], {.15f, 1.1f, .25f});
  // The same with the shoulder, at (0.2, 1.4, 0): half of the points' way at the elbow.
  pose = RestOf(*c);
  Turn(*c, "l_shoulder", {-1, 0, 0}, 1.5707963f, pose);
  at = PointsIn(*c, pose);
  Near(at[0], {.15f, 1.4f, .3f});
  Near(at[3], {.15f, 1.4f, .55f});
}

TEST(X3dCharacter, WhatWeightsLackToOneStaysBehind) {
  X3dPerson person = Skinned();
  person.attributes = {{"l_elbow", "skinCoordIndex='2 3' skinCoordWeight='.25 1'"}};
  const auto c = Read(person.Text());
  ASSERT_NE(c, nullptr);
  skel::Pose pose = RestOf(*c);
  Turn(*c, "l_elbow", {-1, 0, 0}, 1.5707963f, pose);
  const std::vector<Vec3> at = PointsIn(*c, pose);
  Near(at[0], {.15f, 1.1f, 0});
  Near(at[2], {.25f, .85f + .25f * .25f, .25f * .25f});
  Near(at[3], {.15f, 1.1f, .25f});
}

TEST(X3dCharacter, TurnsOfJointsInTheFileAreAPose) {
  X3dPerson person = Skinned();
  person.attributes["l_elbow"] += " rotation='1 0 0 1' translation='1 2 3' scale='2 2 2'";
  const auto c = Read(person.Text()), plain = Read(Skinned().Text());
  ASSERT_NE(c, nullptr);
  const std::vector<Vec3> at = PointsIn(*c, RestOf(*c)), as = PointsIn(*plain, RestOf(*plain));
  for (size_t i = 0; i < at.size(); ++i) Near(at[i], as[i], 1e-6f);
}

TEST(X3dCharacter, TheClassicFormSaysTheSame) {
  const auto scene = x3d::ReadScene(Skinned().Text());
  ASSERT_TRUE(scene.ok());
  const auto a = Read(Skinned().Text()), b = Read(x3d::WriteClassic(*scene));
  ASSERT_NE(b, nullptr);
  skel::Pose pose = RestOf(*a);
  Turn(*a, "l_elbow", {0, 1, 0}, 1, pose);
  const std::vector<Vec3> at = PointsIn(*a, pose), as = PointsIn(*b, pose);
  for (size_t i = 0; i < at.size(); ++i) Near(at[i], as[i], 1e-6f);
}

TEST(X3dCharacter, UnitsAndScalesBecomeMetres) {
  X3dPerson person = Skinned();
  person.head = "<unit category='length' name='inch' conversionFactor='0.0254'/>";
  person.fields = "scale='2 2 2' translation='5 0 0' rotation='0 1 0 3'";
  person.above = "<Transform scale='3 3 3' rotation='1 0 0 1.5'><Group>";
  person.below = "</Group></Transform>";
  const auto c = Read(person.Text());
  ASSERT_NE(c, nullptr);
  const float unit = .0254f * 6;
  const std::vector<Vec3> at = PointsIn(*c, RestOf(*c));
  Near(at[2] * (1 / c->root.scale.x), Vec3{.25f, .85f, 0} * unit);
  skel::Pose pose = RestOf(*c);
  Turn(*c, "l_elbow", {-1, 0, 0}, 1.5707963f, pose);
  Near(PointsIn(*c, pose)[2] * (1 / c->root.scale.x), Vec3{.25f, 1.1f, .25f} * unit);
}

TEST(X3dCharacter, ArmsOfATAreBroughtToWhereTheRigsHang) {
  X3dPerson person = Skinned();
  person.t_pose = true;
  person.more =
      absl::StrReplaceAll(person.more, {{".15 1.1 0, .25 1.1 0, .25 .85 0, .15 .85 0",
                                         ".5 1.35 0, .5 1.45 0, .75 1.45 0, .75 1.35 0"}});
  const auto c = Read(person.Text());
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(c->notes, Contains(HasSubstr("arms stand elsewhere")));
  const std::vector<Vec3> at = PointsIn(*c, RestOf(*c));
  for (const Vec3 p : {at[2], at[3]}) {
    EXPECT_NEAR(p.x, .2f, .12f);
    EXPECT_NEAR(p.y, .85f, .05f);
  }
}

// The extent of a mesh in a pose.
std::pair<Vec3, Vec3> ExtentOf(const std::vector<Vec3>& points) {
  Vec3 low = points[0], high = points[0];
  for (const Vec3 p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return {low, high};
}

TEST(X3dCharacter, ShapesOfASegmentHangOnItsJoint) {
  X3dPerson person;
  person.inside["l_elbow"] =
      "<HAnimSegment name='l_forearm'><Transform translation='.2 .975 0'><Transform scale='1 -1 1' "
      "rotation='0 0 1 0'><Shape><Appearance><Material/></Appearance><Box size='.1 .25 .1'/>"
      "</Shape></Transform></Transform></HAnimSegment>";
  person.inside["l_wrist"] =
      "<HAnimSegment name='l_hand'><HAnimSite name='l_tip' translation='.2 .8 0'><Group><Shape>"
      "<Sphere radius='.05'/></Shape></Group></HAnimSite></HAnimSegment>";
  const auto c = Read(person.Text());
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->meshes.size(), 2u);
  skel::Pose pose = RestOf(*c);
  auto [low, high] = ExtentOf(PointsIn(*c, pose));
  Near(low, {.15f, .85f, -.05f});
  Near(high, {.25f, 1.1f, .05f});
  // A mirrored box is still seen from outside.
  const Mesh& box = c->meshes[0];
  for (size_t t = 0; t < box.triangles.size(); t += 3) {
    const Vec3 a = box.points[box.triangles[t]];
    const Vec3 n =
        skel::Cross(box.points[box.triangles[t + 1]] - a, box.points[box.triangles[t + 2]] - a);
    EXPECT_GT(skel::Dot(n, box.normals[box.triangles[t]]), 0);
  }
  Turn(*c, "l_elbow", {-1, 0, 0}, 1.5707963f, pose);
  std::tie(low, high) = ExtentOf(PointsIn(*c, pose));
  Near(low, {.15f, 1.05f, 0});
  Near(high, {.25f, 1.15f, .25f});
  std::tie(low, high) = ExtentOf(PointsIn(*c, pose, 1));
  Near((low + high) * .5f, {.2f, 1.1f, .3f}, 1e-3f);
}

TEST(X3dCharacter, SolidsHaveTheirMeasuresAndFaceOutwards) {
  const auto extent = [](const std::string& geometry) {
    X3dPerson person;
    person.inside["l_wrist"] =
        "<HAnimSegment name='l_hand'><Shape>" + geometry + "</Shape></HAnimSegment>";
    const auto c = Read(person.Text());
    if (c == nullptr) return std::pair(Vec3{}, Vec3{});
    const Mesh& m = c->meshes[0];
    for (size_t t = 0; t < m.triangles.size(); t += 3) {
      const Vec3 a = m.points[m.triangles[t]];
      const Vec3 n =
          skel::Cross(m.points[m.triangles[t + 1]] - a, m.points[m.triangles[t + 2]] - a);
      if (skel::Length(n) < 1e-6f) continue;  // at a pole
      EXPECT_GT(skel::Dot(skel::Normalized(n), m.normals[m.triangles[t]]), 0.9f) << geometry;
      EXPECT_GT(skel::Dot(n, a + m.points[m.triangles[t + 1]] + m.points[m.triangles[t + 2]]), 0)
          << geometry;
    }
    return ExtentOf(m.points);
  };
  Near(extent("<Box size='1 2 3'/>").second, {.5f, 1, 1.5f});
  Near(extent("<Sphere radius='2'/>").first, {-2, -2, -2});
  Near(extent("<Cylinder radius='1' height='4'/>").second, {1, 2, 1});
  Near(extent("<Cone bottomRadius='1' height='4'/>").first, {-1, -2, -1});
  Near(extent("<Cone bottomRadius='1' height='4' side='false'/>").second, {1, -2, 1});
}

TEST(X3dCharacter, WhatIsNotShownIsNotRead) {
  X3dPerson person;
  const auto meshes = [&](const std::string& inside) {
    person.inside["l_wrist"] =
        "<HAnimSegment name='l_hand'><Shape><Box/></Shape>" + inside + "</HAnimSegment>";
    const auto c = Read(person.Text());
    return c == nullptr ? -1 : static_cast<int>(c->meshes.size());
  };
  const std::string two = "<Shape><Box/></Shape><Shape><Cone/></Shape>";
  EXPECT_EQ(meshes("<Switch>" + two + "</Switch>"), 1);
  EXPECT_EQ(meshes("<Switch whichChoice='1'>" + two + "</Switch>"), 2);
  EXPECT_EQ(meshes("<LOD>" + two + "</LOD>"), 2);
  EXPECT_EQ(meshes("<Group visible='false'>" + two + "</Group>"), 1);
  EXPECT_EQ(meshes("<Inline url='\"a.x3d\"'/><Shape><Text/></Shape>"), 1);
}

TEST(X3dCharacter, WhatIsLeftOutIsSaid) {
  X3dPerson person = Skinned();
  person.fields = "jointBindingPositions='0 0 0'";
  person.inside["l_wrist"] =
      "<HAnimSegment name='l_hand'><Inline url='\"a.x3d\"'/><Shape><Text/></Shape></HAnimSegment>";
  const auto c = Read(person.Text());
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(c->notes, AllOf(Contains(HasSubstr("jointBindingPositions is left out")),
                              Contains(HasSubstr("an Inline is not fetched")),
                              Contains(HasSubstr("Text is not drawn"))));
}

TEST(X3dCharacter, WhatIsNoHumanoidOfOursIsMovedByItsOwnRig) {
  const auto c = Read(
      "<X3D><Scene><HAnimHumanoid name='Cat'><HAnimJoint name='x_cat' containerField='skeleton' "
      "center='0 .2 0'><HAnimSegment><Shape><Box size='.2 .2 .5'/></Shape></HAnimSegment>"
      "<HAnimJoint name='x_tail' center='0 .3 -.25'><HAnimSegment><Coordinate DEF='t' "
      "containerField='coord' point='0 .3 -.25, .1 .3 -.5, -.1 .3 -.5'/><HAnimDisplacer name="
      "'fluff' coordIndex='1' displacements='1 0 0'/><Shape><IndexedFaceSet coordIndex='0 1 2'>"
      "<Coordinate USE='t'/></IndexedFaceSet></Shape></HAnimSegment></HAnimJoint></HAnimJoint>"
      "</HAnimHumanoid></Scene></X3D>");
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(c->rig->joint_paths(), ElementsAre("x_cat", "x_cat/x_tail"));
  EXPECT_THAT(c->rig->shape_names(), ElementsAre("fluff"));
  skel::Pose pose = RestOf(*c);
  Turn(*c, "x_tail", {0, 1, 0}, 1.5707963f, pose);
  pose.span().SetWeight(0, 1);
  Near(PointsIn(*c, pose, 1)[2], {-.25f, .3f, -.25f + .1f});
  Near(PointsIn(*c, pose, 1)[1], {-.25f, .3f, -.25f - 1.1f});
}

TEST(X3dCharacter, SegmentsAndSkinAreDrawnTogether) {
  X3dPerson person = Skinned();
  person.inside["l_wrist"] = "<HAnimSegment name='l_hand'><Shape><Box/></Shape></HAnimSegment>";
  const auto c = Read(person.Text());
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->meshes.size(), 2u);
  EXPECT_EQ(c->meshes[0].name, "arm");
  EXPECT_EQ(c->meshes[1].per_point, 1);
}

TEST(X3dCharacter, DisplacersOfASegmentAreShapesOfItsCoord) {
  X3dPerson person;
  person.head = "<unit category='length' name='cm' conversionFactor='0.01'/>";
  person.unit = 100;
  const std::string faces = "<IndexedFaceSet coordIndex='0 1 2 -1 0 2 3 -1'><Coordinate ";
  person.inside["skullbase"] = absl::StrCat(
      "<HAnimSegment name='skull'><Coordinate DEF='s' containerField='coord' point='0 160 10, 5 "
      "160 10, 5 170 10, 0 170 10'/>"
      "<HAnimDisplacer name='x_jawOpen_action' coordIndex='0 1' displacements='0 -2 0, 0 -3 0' "
      "weight='.5'/><HAnimDisplacer name='brow_raise_action' coordIndex='3' displacements='0 0 1'/>"
      "<HAnimDisplacer name='chin_feature' coordIndex='1'/>"
      "<Shape>",
      faces,
      "USE='s'/></IndexedFaceSet></Shape>"
      "<Shape>",
      faces,
      "point='0 0 0, 1 0 0, 1 1 0, 0 1 0'/></IndexedFaceSet></Shape>"
      "</HAnimSegment>");
  const auto c = Read(person.Text());
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->meshes.size(), 2u);
  ASSERT_EQ(c->meshes[0].shapes.size(), 2u);
  EXPECT_EQ(c->meshes[0].shapes[0].name(), "jawOpen");
  EXPECT_EQ(c->meshes[0].shapes[1].name(), "brow_raise_action");
  EXPECT_EQ(c->meshes[0].shape_weights[0], .5f);
  EXPECT_TRUE(c->meshes[1].shapes.empty());
  // The file's weight stays, and the stream's is added; then the skull turns.
  skel::Pose pose = RestOf(*c);
  std::vector<Vec3> at = PointsIn(*c, pose);
  Near(at[0], {0, 1.59f, .1f});
  Near(at[2], {.05f, 1.7f, .1f});
  pose.span().SetWeight(c->rig->FindShape("jawOpen"), .5f);
  Turn(*c, "skullbase", {0, 1, 0}, 1.5707963f, pose);
  at = PointsIn(*c, pose);
  Near(at[0], {.1f, 1.58f, 0});
  Near(at[1], {.1f, 1.57f, -.05f});
}

TEST(X3dCharacter, DisplacersOfJointsAreShapesOfTheSkin) {
  X3dPerson person = Skinned();
  person.inside["l_elbow"] =
      "<HAnimDisplacer name='cheekPuff' coordIndex='2 3' displacements='0 0 .1, 0 0 .2'/>";
  const auto c = Read(person.Text());
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->meshes[0].shapes.size(), 1u);
  skel::Pose pose = RestOf(*c);
  pose.span().SetWeight(c->rig->FindShape("cheekPuff"), 1);
  Turn(*c, "l_elbow", {-1, 0, 0}, 1.5707963f, pose);
  const std::vector<Vec3> at = PointsIn(*c, pose);
  Near(at[2], {.25f, 1.2f, .25f});
  Near(at[3], {.15f, 1.3f, .25f});
  // Light follows, at the neighbours too.
  const mesh::ShapeKey* const key = c->meshes[0].shapes[0].Find(1).high;
  ASSERT_NE(key, nullptr);
  ASSERT_EQ(key->normal_offsets.size(), 4u);
  for (const Vec3 n : key->normal_offsets) EXPECT_GT(skel::Length(n), .1f);
}

TEST(X3dCharacter, BrokenDisplacersAreRefusedWithLineFieldAndIndex) {
  X3dPerson person = Skinned();
  const auto why = [&](const std::string& fields) {
    person.inside["l_elbow"] = "<HAnimDisplacer name='a' " + fields + "/>";
    return WhyNot(person.Text());
  };
  EXPECT_THAT(why("coordIndex='0 9' displacements='0 0 0 0 0 0'"),
              HasSubstr("HAnimDisplacer.coordIndex[1] is 9, expected a point from 0 to 4 - 1"));
  EXPECT_THAT(why("coordIndex='0 1' displacements='0 0 0'"),
              HasSubstr("displacements has 1 vectors, and coordIndex has 2 points"));
  EXPECT_THAT(why("coordIndex='0' displacements='0 0'"), HasSubstr("expected three a point"));
  EXPECT_THAT(why("coordIndex='0' displacements='0 0 1' weight='nan'"), HasSubstr("weight[0]"));
  Limits limits;
  limits.targets = 3;
  person.inside["l_elbow"] = "";
  for (int i = 0; i < 4; ++i) {
    person.inside["l_elbow"] += "<HAnimDisplacer name='a' coordIndex='0' displacements='0 0 1'/>";
  }
  EXPECT_THAT(WhyNot(person.Text(), limits), HasSubstr("over 3 displacers"));
}

TEST(X3dCharacter, NormalsAreTheFilesOrByTheCreaseAngle) {
  // A roof of two squares that meet in a right angle, over points 0 and 1.
  const auto roof = [](const std::string& more, const std::string& inside = "") {
    X3dPerson person;
    person.more = absl::StrCat(
        "<Coordinate DEF='c' containerField='skinCoord' point='0 1 1, 0 1 -1, -1 0 -1, -1 0 1, 1 0 "
        "1, 1 0 -1'/><Shape containerField='skin'><IndexedFaceSet coordIndex='0 1 2 3 -1 0 4 5 1 "
        "-1' ",
        more, ">", inside, "<Coordinate USE='c'/></IndexedFaceSet></Shape>");
    return Read(person.Text());
  };
  const auto flat = roof(""), smooth = roof("creaseAngle='2'");
  ASSERT_NE(flat, nullptr);
  ASSERT_EQ(flat->meshes[0].points.size(), 8u);
  Near(flat->meshes[0].normals[0], {-.70710678f, .70710678f, 0});
  ASSERT_EQ(smooth->meshes[0].points.size(), 6u);
  Near(smooth->meshes[0].normals[0], {0, 1, 0});
  Near(smooth->meshes[0].normals[2], {-.70710678f, .70710678f, 0});
  EXPECT_EQ(roof("creaseAngle='1.5'")->meshes[0].points.size(), 8u);
  const auto turned = roof("ccw='false' solid='false'");
  Near(turned->meshes[0].normals[0], {.70710678f, -.70710678f, 0});
  EXPECT_TRUE(turned->materials[0].double_sided);
  EXPECT_FALSE(flat->materials[0].double_sided);
  const auto given =
      roof("normalPerVertex='false' normalIndex='1 0'", "<Normal vector='0 0 1, 0 3 4'/>");
  Near(given->meshes[0].normals[0], {0, .6f, .8f});
  Near(given->meshes[0].normals[5], {0, 0, 1});
}

TEST(X3dCharacter, FacesThatAreNotConvexAreCutByTheirEars) {
  const auto area = [](const std::string& convex) {
    X3dPerson person;
    // An L whose area is 3.
    person.more = absl::StrCat(
        "<Shape containerField='skin'><IndexedFaceSet ", convex,
        " coordIndex='1 2 3 4 5 0'>"
        "<Coordinate point='0 0 0, 2 0 0, 2 1 0, 1 1 0, 1 2 0, 0 2 0'/></IndexedFaceSet></Shape>");
    const auto c = Read(person.Text());
    if (c == nullptr) return -1.0f;
    const Mesh& m = c->meshes[0];
    float sum = 0;
    for (size_t t = 0; t < m.triangles.size(); t += 3) {
      const Vec3 a = m.points[m.triangles[t]];
      sum += skel::Cross(m.points[m.triangles[t + 1]] - a, m.points[m.triangles[t + 2]] - a).z / 2;
      EXPECT_GE(skel::Cross(m.points[m.triangles[t + 1]] - a, m.points[m.triangles[t + 2]] - a).z,
                convex.empty() ? -9 : 0);
    }
    return sum;
  };
  EXPECT_NEAR(area("convex='false'"), 3, 1e-5);
}

TEST(X3dCharacter, TriangleSetsHaveTheirOwnWaysToListPoints) {
  const auto triangles = [](const std::string& geometry) {
    X3dPerson person;
    person.more =
        absl::StrCat("<Shape containerField='skin'>", geometry,
                     "<Coordinate point='0 0 0, 1 0 0, 0 1 0, 1 1 0'/>", geometry.substr(0, 1), "/",
                     geometry.substr(1, geometry.find_first_of(" >") - 1), "></Shape>");
    const auto c = Read(person.Text());
    std::vector<uint32_t> out;
    if (c == nullptr) return out;
    for (const uint32_t p : c->meshes[0].triangles) out.push_back(c->meshes[0].point_of[p]);
    return out;
  };
  EXPECT_THAT(triangles("<IndexedTriangleSet index='0 1 2 2 1 3'>"), ElementsAre(0, 1, 2, 2, 1, 3));
  EXPECT_THAT(triangles("<TriangleSet>"), ElementsAre(0, 1, 2));
  EXPECT_THAT(triangles("<IndexedTriangleStripSet index='0 1 2 3 -1'>"),
              ElementsAre(0, 1, 2, 2, 1, 3));
  EXPECT_THAT(triangles("<TriangleStripSet stripCount='4'>"), ElementsAre(0, 1, 2, 2, 1, 3));
  EXPECT_THAT(triangles("<TriangleFanSet fanCount='4'>"), ElementsAre(0, 1, 2, 0, 2, 3));
  EXPECT_THAT(triangles("<IndexedTriangleFanSet index='0 1 2 -1 1 3 2'>"),
              ElementsAre(0, 1, 2, 1, 3, 2));
  EXPECT_THAT(triangles("<QuadSet>"), ElementsAre(0, 1, 2, 0, 2, 3));
  EXPECT_THAT(triangles("<IndexedQuadSet index='0 1 3 2'>"), ElementsAre(0, 1, 3, 0, 3, 2));
}

TEST(X3dCharacter, LooksAreTheFiles) {
  const auto look = [](const std::string& appearance, const std::string& inside = "",
                       const std::string& more = "") {
    X3dPerson person;
    person.more = Skin(absl::StrCat("<IndexedFaceSet coordIndex='3 2 1 0 -1' ", more, ">", inside,
                                    "<Coordinate USE='c'/></IndexedFaceSet>"),
                       appearance.empty() ? "" : "<Appearance>" + appearance + "</Appearance>");
    return Read(person.Text());
  };
  auto c = look(
      "<Material DEF='green' diffuseColor='.5 1 0' emissiveColor='0 .5 0' "
      "specularColor='1 1 1' shininess='1' transparency='.25'/>");
  const Material& m = c->materials[0];
  EXPECT_EQ(m.name, "green");
  Near(m.color, {.21404f, 1, 0});
  Near(m.emissive, {0, .21404f, 0});
  EXPECT_NEAR(m.alpha, .75f, 1e-6);
  EXPECT_EQ(m.mode, Material::Alpha::kBlend);
  EXPECT_LT(m.roughness, .5f);
  EXPECT_FALSE(m.unlit);
  c = look("<PhysicalMaterial baseColor='.5 1 0' roughness='.25'/>");
  Near(c->materials[0].color, {.5f, 1, 0});
  EXPECT_EQ(c->materials[0].roughness, .25f);
  c = look("<UnlitMaterial emissiveColor='1 0 0'/>");
  EXPECT_TRUE(c->materials[0].unlit);
  Near(c->materials[0].color, {1, 0, 0});
  EXPECT_TRUE(look("")->materials[0].unlit);

  // Two pixels, the left red and the right blue; without coordinates the longest side is S.
  c = look("<Material/><PixelTexture image='2 1 3 0xFF0000 0x0000FF'/>");
  ASSERT_EQ(c->textures.size(), 1u);
  EXPECT_THAT(c->textures[0].rgba, ElementsAre(255, 0, 0, 255, 0, 0, 255, 255));
  EXPECT_EQ(c->materials[0].texture, 0);
  ASSERT_EQ(c->meshes[0].uv.size(), 4u);
  EXPECT_NEAR(c->meshes[0].uv[2][0], 1, 1e-5);  // point 1: the highest
  EXPECT_NEAR(c->meshes[0].uv[2][1], 1 - .4, 1e-5);
  c = look("<PixelTexture image='1 1 1 0x80'/><TextureTransform translation='.25 0' scale='2 1'/>",
           "<TextureCoordinate point='0 0, 1 0, 1 1, 0 1'/>", "texCoordIndex='0 1 2 3 -1'");
  EXPECT_NEAR(c->meshes[0].uv[0][0], .5, 1e-5);
  EXPECT_NEAR(c->meshes[0].uv[1][0], 2.5, 1e-5);
  EXPECT_NEAR(c->meshes[0].uv[2][1], 0, 1e-5);
  c = look("<Material diffuseColor='1 0 0'/>", "<Color color='1 1 1, .5 0 0'/>",
           "colorPerVertex='false' colorIndex='1'");
  Near(c->materials[0].color, {1, 1, 1});
  EXPECT_THAT(c->meshes[0].colors[0], ElementsAre(55, 0, 0, 255));
}

TEST(X3dCharacter, PicturesLieBesideTheFile) {
  X3dPerson person;
  person.more = Skin(kSquare,
                     "<Appearance><ImageTexture url='\"../a.png\" \"http://b/c.png\" "
                     "\"skins/d.png\"'/></Appearance>");
  std::vector<std::string> asked;
  const auto c = Read(person.Text(), [&](const std::string& name) {
    asked.push_back(name);
    return absl::StatusOr<std::string>("no picture");
  });
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(asked, ElementsAre("skins/d.png"));
  EXPECT_THAT(c->notes, Contains(HasSubstr("the ImageTexture is left out")));
}

TEST(X3dCharacter, WhatIsWrongIsRefusedWithLineFieldAndIndex) {
  X3dPerson person = Skinned();
  person.attributes["l_elbow"] = "skinCoordIndex='0 4' skinCoordWeight='1 1'";
  EXPECT_THAT(WhyNot(person.Text()),
              HasSubstr("HAnimJoint.skinCoordIndex[1] is 4, expected a point of skinCoord from 0 "
                        "to 4 - 1"));
  person.attributes["l_elbow"] = "skinCoordIndex='0 1' skinCoordWeight='1'";
  EXPECT_THAT(WhyNot(person.Text()), HasSubstr("2 of skinCoordIndex and 1 of skinCoordWeight"));
  person.attributes["l_elbow"] = "skinCoordIndex='0 1.5' skinCoordWeight='1 1'";
  EXPECT_THAT(WhyNot(person.Text()), HasSubstr("skinCoordIndex[1] is 1.5, expected a whole"));
  person.attributes["l_elbow"] = "skinCoordIndex='0 1' skinCoordWeight='1 nan'";
  EXPECT_THAT(WhyNot(person.Text()), HasSubstr("skinCoordWeight[1] is \"nan\""));
  person = Skinned();
  const auto why = [&](const std::string& geometry) {
    person.more = Skin(geometry + "<Coordinate USE='c'/></IndexedFaceSet>");
    return WhyNot(person.Text());
  };
  EXPECT_THAT(why("<IndexedFaceSet coordIndex='0 1 1000000000 -1'>"),
              AllOf(HasSubstr("line "), HasSubstr("IndexedFaceSet.coordIndex[2] is 1e+09")));
  EXPECT_THAT(why("<IndexedFaceSet coordIndex='0 1 7 -1'>"),
              HasSubstr("IndexedFaceSet.coordIndex[2] is 7, expected a point from 0 to 4 - 1"));
  EXPECT_THAT(why("<IndexedFaceSet coordIndex='0 1 -2'>"), HasSubstr("coordIndex[2] is -2"));
  EXPECT_THAT(why("<IndexedFaceSet coordIndex='0 1 2 -1'><Normal vector='0 1 0'/>"),
              HasSubstr("Normal.vector has 1 values"));
  EXPECT_THAT(why("<IndexedFaceSet coordIndex='0 1 2 -1' texCoordIndex='0 0'><TextureCoordinate "
                  "point='0 0'/>"),
              HasSubstr("IndexedFaceSet.texCoordIndex ends before 2"));
  EXPECT_THAT(why("<IndexedFaceSet coordIndex='0 1 2 -1' creaseAngle='inf'>"),
              HasSubstr("creaseAngle[0] is \"inf\""));
  person.more = "";
  EXPECT_THAT(WhyNot(person.Text()), HasSubstr("nothing to draw"));
  EXPECT_THAT(WhyNot("<X3D><Scene/></X3D>"), HasSubstr("there is no HAnimHumanoid"));
  EXPECT_THAT(WhyNot("#X3D V4.0 utf8\nGroup {"), HasSubstr("line "));
}

TEST(X3dCharacter, WhatIsUsedOftenCountsAsOften) {
  Limits limits;
  limits.numbers = 100'000;
  X3dPerson person = Skinned();
  std::string points;
  for (int i = 0; i < 2000; ++i) absl::StrAppend(&points, i, " 0 1,");
  person.more = absl::StrCat(
      "<Shape DEF='s' containerField='skin'><IndexedFaceSet coordIndex='0 1 "
      "2 -1'><Coordinate point='",
      points, "'/></IndexedFaceSet></Shape>");
  person.attributes = {};
  for (int i = 0; i < 20; ++i) person.more += "<Shape USE='s' containerField='skin'/>";
  EXPECT_THAT(WhyNot(person.Text(), limits), HasSubstr("over 100000 numbers"));
  limits = {};
  limits.points = 1000;
  EXPECT_THAT(WhyNot(person.Text(), limits), HasSubstr("over 1000 points"));
}

TEST(X3dCharacter, JoeIsReadWhole) {
  const char* const source = std::getenv("POSEWIRE_SOURCE_DIR");
  std::ifstream file(
      absl::StrCat(source == nullptr ? "." : source, "/../shared/data/JoeHAnimKick1a.x3d"));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.empty()) GTEST_SKIP() << "no ../shared/data/JoeHAnimKick1a.x3d";
  const auto c = Read(text);
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->rig->name(), "hanim_loa3");
  EXPECT_TRUE(c->same_joints);
  ASSERT_EQ(c->meshes.size(), 1u);
  EXPECT_EQ(c->meshes[0].triangles.size() / 3, 695u);
  EXPECT_EQ(c->nodes.size(), 1u + 89u);
  EXPECT_EQ(c->root.rotation.w, 1);
  EXPECT_NEAR(c->framing.extent.high.y, 1.77f, .02f);
}

}  // namespace
}  // namespace posewire::character
