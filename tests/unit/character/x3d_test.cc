// Characters from X3D files: a small person here, and Joe of the Web3D Consortium's examples where
// ../shared/data has him.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/character_file/read_character.h"
#include "libs/formats/x3d/character_writer.h"
#include "libs/formats/x3d/read_scene.h"
#include "libs/formats/x3d/write_scene.h"
#include "tests/unit/character/x3d_person.h"

namespace posewire::character {
namespace {

using skel::Vec3;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(X3dCharacter, SkinFollowsItsJointsByTheirWeights) {
  const auto c = Good(Skinned().Text());
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
  const auto c = Good(person.Text());
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
  const auto c = Good(person.Text()), plain = Good(Skinned().Text());
  ASSERT_NE(c, nullptr);
  const std::vector<Vec3> at = PointsIn(*c, RestOf(*c)), as = PointsIn(*plain, RestOf(*plain));
  for (size_t i = 0; i < at.size(); ++i) Near(at[i], as[i], 1e-6f);
}

// As X_ITE shows it: a joint is a Transform, and its segment is in its space.
TEST(X3dCharacter, SegmentsStandWhereTranslationsPlaceTheirJoints) {
  const auto c = Good(
      "<X3D><Scene><HAnimHumanoid name='Cat'><HAnimJoint name='x_cat' containerField='skeleton' "
      "translation='0 .2 0'><HAnimSegment><Shape><Box size='.2 .2 .2'/></Shape></HAnimSegment>"
      "<HAnimJoint name='x_neck' translation='0 .3 0' rotation='0 0 1 1.5707963'><HAnimJoint "
      "name='x_head' translation='.4 0 0' scale='2 2 2'><HAnimSegment><Shape><Box size='.1 .1 .1'/>"
      "</Shape></HAnimSegment></HAnimJoint></HAnimJoint></HAnimJoint></HAnimHumanoid></Scene>"
      "</X3D>");
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(c->notes, Contains(HasSubstr("2 joints have a translation and no center")));
  ASSERT_EQ(c->meshes.size(), 2u);
  skel::Pose pose = RestOf(*c);
  const Vec3 down{0, -.1f, 0};  // it is put onto the ground
  auto [low, high] = ExtentOf(PointsIn(*c, pose, 1));
  Near((low + high) * .5f, Vec3{0, .9f, 0});
  Near(high - low, {.2f, .2f, .2f});
  // The neck at (0, .5, 0) turns back, which lays the head to its side.
  Turn(*c, "x_neck", {0, 0, 1}, -1.5707963f, pose);
  std::tie(low, high) = ExtentOf(PointsIn(*c, pose, 1));
  Near((low + high) * .5f, Vec3{.4f, .5f, 0});
  std::tie(low, high) = ExtentOf(PointsIn(*c, pose, 0));
  Near((low + high) * .5f, Vec3{0, .2f, 0});
  EXPECT_NEAR(c->root.translation.y, down.y, 1e-5f);
}

TEST(X3dCharacter, APersonPlacedByTranslationsIsTheOneOfCenters) {
  X3dPerson person;
  for (const char* name : {"l_elbow", "l_wrist", "skullbase"}) {
    person.inside[name] = absl::StrCat("<HAnimSegment name='", name,
                                       "_'><Shape><Box size='.1 .1 .1'/></Shape></HAnimSegment>");
  }
  const auto c = Good(PlacedByTranslations(person.Text()));
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->rig->name(), "hanim_loa1");
  ASSERT_EQ(c->meshes.size(), 3u);
  skel::Pose pose = RestOf(*c);
  std::vector<Vec3> middles;
  for (size_t m = 0; m < 3; ++m) {
    const auto [low, high] = ExtentOf(PointsIn(*c, pose, m));
    middles.push_back((low + high) * .5f);
  }
  std::sort(middles.begin(), middles.end(), [](Vec3 a, Vec3 b) { return a.y < b.y; });
  Near(middles[0], {.2f, .85f, 0});
  Near(middles[1], {.2f, 1.1f, 0});
  Near(middles[2], {0, 1.6f, 0});
}

// As X_ITE has it, and as its x3d-tidy writes glTF's inverseBindMatrices.
TEST(X3dCharacter, ASkinIsBoundWhereItsBindingSays) {
  const auto skinned = [](const std::string& binding) {
    return absl::StrCat(
        "<X3D><Scene><HAnimHumanoid ", binding,
        "><HAnimJoint DEF='a' name='x_a' translation='0 1 0' containerField='skeleton'>"
        "<HAnimJoint DEF='b' name='x_b' translation='0 1 0' rotation='0 0 1 1.5707963' "
        "skinCoordIndex='0 1 2' skinCoordWeight='1 1 1'/></HAnimJoint><HAnimJoint USE='a' "
        "containerField='joints'/><HAnimJoint USE='b' containerField='joints'/><Coordinate DEF='p' "
        "containerField='skinCoord' point='0 2 0, .5 2 0, 0 3 0'/><Shape containerField='skin'>"
        "<IndexedFaceSet coordIndex='0 1 2'><Coordinate USE='p'/></IndexedFaceSet></Shape>"
        "</HAnimHumanoid></Scene></X3D>");
  };
  const auto c = Good(skinned(
      "jointBindingPositions='0 -1 0, -2 0 0' jointBindingRotations='0 0 1 0, 0 0 1 -1.5707963'"));
  ASSERT_NE(c, nullptr);
  skel::Pose pose = RestOf(*c);
  const std::vector<Vec3> at = PointsIn(*c, pose);
  Near(at[0] - at[2], {0, -1, 0});
  Near(at[1] - at[0], {.5f, 0, 0});
  Near(at[0] + Vec3{0, c->root.translation.y, 0}, {0, 0, 0});  // on the ground
  Turn(*c, "x_a", {0, 0, 1}, 1.5707963f, pose);
  const std::vector<Vec3> turned = PointsIn(*c, pose);
  Near(turned[2] - turned[0], {-1, 0, 0});
  Near(turned[0], {-1, 1, 0});
  EXPECT_THAT(WhyNot(skinned("jointBindingRotations='0 0 1'")),
              HasSubstr("HAnimHumanoid.jointBindingRotations has 3 numbers, expected four"));
}

TEST(X3dCharacter, JointsWithoutNamesAreShown) {
  const auto c = Good(
      "<X3D><Scene><HAnimHumanoid><HAnimJoint containerField='skeleton'><HAnimJoint "
      "skinCoordIndex='0 1 2' skinCoordWeight='1 1 1'/></HAnimJoint><Coordinate DEF='p' "
      "containerField='skinCoord' point='0 0 0, 1 0 0, 0 1 0'/><Shape containerField='skin'>"
      "<IndexedFaceSet coordIndex='0 1 2'><Coordinate USE='p'/></IndexedFaceSet></Shape>"
      "</HAnimHumanoid></Scene></X3D>");
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(c->rig->joint_paths(), ElementsAre("joint_1", "joint_1/joint_2"));
  EXPECT_THAT(c->notes, Contains(HasSubstr("2 joints have no name")));
}

TEST(X3dCharacter, AFileWithoutItsFirstLineIsNoGltf) {
  const auto out = character_file::ReadCharacter("PROFILE Immersive\nGroup {}", "ann.x3dv", Rigs());
  ASSERT_FALSE(out.ok());
  EXPECT_THAT(std::string(out.status().message()),
              AllOf(HasSubstr("ann.x3dv: line 1: the file starts with"), HasSubstr("#X3D V4.0")));
}

TEST(X3dCharacter, TheClassicFormSaysTheSame) {
  const auto scene = x3d::ReadScene(Skinned().Text());
  ASSERT_TRUE(scene.ok());
  const auto a = Good(Skinned().Text()), b = Good(x3d::WriteClassic(*scene));
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
  const auto c = Good(person.Text());
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
  const auto c = Good(person.Text());
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(c->notes, Contains(HasSubstr("arms stand elsewhere")));
  const std::vector<Vec3> at = PointsIn(*c, RestOf(*c));
  for (const Vec3 p : {at[2], at[3]}) {
    EXPECT_NEAR(p.x, .2f, .12f);
    EXPECT_NEAR(p.y, .85f, .05f);
  }
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
  const auto c = Good(person.Text());
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

TEST(X3dCharacter, HiddenShapesAreNotRead) {
  X3dPerson person;
  const auto meshes = [&](const std::string& inside) {
    person.inside["l_wrist"] =
        "<HAnimSegment name='l_hand'><Shape><Box/></Shape>" + inside + "</HAnimSegment>";
    const auto c = Good(person.Text());
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
  person.inside["l_wrist"] =
      "<HAnimSegment name='l_hand'><Inline url='\"a.x3d\"'/><Shape><Text/></Shape></HAnimSegment>";
  const auto c = Good(person.Text());
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(c->notes, AllOf(Contains(HasSubstr("an Inline is left out")),
                              Contains(HasSubstr("Text is not drawn"))));
}

TEST(X3dCharacter, WhatIsNoHumanoidOfOursIsMovedByItsOwnRig) {
  const auto c = Good(
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
  const auto c = Good(person.Text());
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
  const auto c = Good(person.Text());
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
  const auto c = Good(person.Text());
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

// As ISO/IEC 19774 has it: by the displacer's joint, whatever shares the point has.
TEST(X3dCharacter, ADisplacementTurnsWithItsOwnJoint) {
  X3dPerson person = Skinned();
  person.inside["l_elbow"] =
      "<HAnimDisplacer name='cheekPuff' coordIndex='0' displacements='0 0 .1'/>";
  const auto c = Good(person.Text());
  ASSERT_NE(c, nullptr);
  ASSERT_THAT(c->meshes[0].shape_joints, ElementsAre(testing::Gt(0)));
  skel::Pose pose = RestOf(*c);
  pose.span().SetWeight(c->rig->FindShape("cheekPuff"), 1);
  Near(PointsIn(*c, pose)[0], {.15f, 1.1f, .1f});
  Turn(*c, "l_elbow", {-1, 0, 0}, 1.5707963f, pose);
  Near(PointsIn(*c, pose)[0], {.15f, 1.2f, 0});
  pose.span().SetWeight(c->rig->FindShape("cheekPuff"), .5f);
  Near(PointsIn(*c, pose)[0], {.15f, 1.15f, 0});
}

TEST(X3dCharacter, TheSkinsNormalsAreThoseOfItsShapes) {
  X3dPerson person = Skinned();
  const std::string normals =
      "<Normal containerField='skinNormal' vector='1 0 0, 1 0 0, 0 1 0, 0 1 0'/>";
  person.more = normals + person.more;
  const auto c = Good(person.Text());
  ASSERT_NE(c, nullptr);
  for (size_t p = 0; p < c->meshes[0].points.size(); ++p) {
    Near(c->meshes[0].normals[p], c->meshes[0].point_of[p] < 2 ? Vec3{1, 0, 0} : Vec3{0, 1, 0});
  }
  Deformer deformer(c);
  skel::Pose pose = RestOf(*c);
  Turn(*c, "l_elbow", {-1, 0, 0}, 1.5707963f, pose);
  ASSERT_TRUE(deformer.Pose(pose.view()).ok());
  for (size_t p = 0; p < c->meshes[0].points.size(); ++p) {
    if (c->meshes[0].point_of[p] >= 2) Near(deformer.normals(0)[p], {0, 0, -1});
  }
  // Too few of them are left out.
  person.more = Skinned().more;
  const auto plain = Good(person.Text());
  person.more = "<Normal containerField='skinNormal' vector='1 0 0'/>" + person.more;
  const auto few = Good(person.Text());
  ASSERT_NE(few, nullptr);
  for (size_t p = 0; p < few->meshes[0].points.size(); ++p) {
    Near(few->meshes[0].normals[p], plain->meshes[0].normals[p]);
  }
}

TEST(X3dCharacter, BrokenDisplacersAreRejectedWithLineFieldAndIndex) {
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

TEST(X3dCharacter, ErrorsNameLineFieldAndIndex) {
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
  person.above = "<Transform scale='1e6 1e6 1e6'>";
  person.below = "</Transform>";
  person.more = Skin(
      "<IndexedFaceSet coordIndex='0 1 2'><Coordinate point='1e6 0 0, 0 0 0, 0 1 0'/>"
      "</IndexedFaceSet>");
  EXPECT_THAT(WhyNot(person.Text()), AllOf(HasSubstr("line "), HasSubstr("reaches over 1e9 m")));
  person.unit = 1e6f;
  EXPECT_THAT(WhyNot(person.Text()), HasSubstr("HAnimJoint.center is over 1e9 m away"));
  person = Skinned();
  person.more = "";
  EXPECT_THAT(WhyNot(person.Text()), HasSubstr("nothing to draw"));
  EXPECT_THAT(WhyNot("<X3D><Scene/></X3D>"), HasSubstr("there is no HAnimHumanoid"));
  EXPECT_THAT(WhyNot("#X3D V4.0 utf8\nGroup {"), HasSubstr("line "));
}

TEST(X3dCharacter, ReusedShapesCountEachTime) {
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
  const auto c = Good(text);
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->rig->name(), "hanim_loa3");
  EXPECT_TRUE(c->same_joints);
  ASSERT_EQ(c->meshes.size(), 1u);
  EXPECT_EQ(c->meshes[0].triangles.size() / 3, 695u);
  EXPECT_EQ(c->nodes.size(), 1u + 89u);
  EXPECT_EQ(c->root.rotation.w, 1);
  EXPECT_NEAR(c->framing.extent.high.y, 1.77f, .02f);
}

// The reader's node of unweighted points has no joint in the file, and gets none when it is
// written.
TEST(X3dCharacter, IsWrittenWithoutANodeThatNothingFollows) {
  X3dPerson person;
  person.inside["l_elbow"] =
      "<HAnimSegment name='l_forearm'><Shape><Box size='0.1 0.2 0.1'/></Shape></HAnimSegment>";
  const auto c = Good(person.Text());
  ASSERT_NE(c, nullptr);
  SceneMember member;
  member.character = c.get();
  const auto written = x3d::WriteScene({&member, 1}, "ann");
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_THAT(written->xml, HasSubstr("name='humanoid_root'"));
  EXPECT_THAT(written->xml, testing::Not(HasSubstr("joint_1")));
  const auto again = Good(written->xml);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->nodes.size(), c->nodes.size());
}

// A displacer that moves nothing names a place, where props are attached.
TEST(X3dCharacter, HasItsFeaturesAsSites) {
  X3dPerson person;
  person.inside["skullbase"] =
      "<HAnimSegment name='skull'><Coordinate DEF='face' containerField='coord' "
      "point='0 1.6 0 0.1 1.6 0 0 1.7 0'/><HAnimDisplacer name='l_eyeball_feature' "
      "coordIndex='0 1'/><Shape><IndexedFaceSet coordIndex='0 1 2 -1'><Coordinate USE='face'/>"
      "</IndexedFaceSet></Shape></HAnimSegment>";
  const auto c = Good(person.Text());
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->sites.size(), 1u);
  EXPECT_EQ(c->sites[0].name, "l_eyeball_feature");
  Near(c->sites[0].offset, {.05f, 0, 0});
}

}  // namespace
}  // namespace posewire::character
