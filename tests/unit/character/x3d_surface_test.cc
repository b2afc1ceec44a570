// Surfaces and looks of X3D's geometry, as characters have them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/character_file/read_character.h"
#include "tests/unit/character/x3d_person.h"

namespace posewire::character {
namespace {

using skel::Vec3;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(X3dSurface, SolidsHaveTheirMeasuresAndFaceOutwards) {
  const auto extent = [](const std::string& geometry) {
    X3dPerson person;
    person.inside["l_wrist"] =
        "<HAnimSegment name='l_hand'><Shape>" + geometry + "</Shape></HAnimSegment>";
    const auto c = Good(person.Text());
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

TEST(X3dSurface, NormalsAreTheFilesOrByTheCreaseAngle) {
  // A roof of two squares that meet in a right angle, over points 0 and 1.
  const auto roof = [](const std::string& more, const std::string& inside = "") {
    X3dPerson person;
    person.more = absl::StrCat(
        "<Coordinate DEF='c' containerField='skinCoord' point='0 1 1, 0 1 -1, -1 0 -1, -1 0 1, 1 0 "
        "1, 1 0 -1'/><Shape containerField='skin'><IndexedFaceSet coordIndex='0 1 2 3 -1 0 4 5 1 "
        "-1' ",
        more, ">", inside, "<Coordinate USE='c'/></IndexedFaceSet></Shape>");
    return Good(person.Text());
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

TEST(X3dSurface, FacesThatAreNotConvexAreCutByTheirEars) {
  const auto area = [](const std::string& convex) {
    X3dPerson person;
    // An L whose area is 3.
    person.more = absl::StrCat(
        "<Shape containerField='skin'><IndexedFaceSet ", convex,
        " coordIndex='1 2 3 4 5 0'>"
        "<Coordinate point='0 0 0, 2 0 0, 2 1 0, 1 1 0, 1 2 0, 0 2 0'/></IndexedFaceSet></Shape>");
    const auto c = Good(person.Text());
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

TEST(X3dSurface, TriangleSetsHaveTheirOwnWaysToListPoints) {
  const auto triangles = [](const std::string& geometry) {
    X3dPerson person;
    person.more =
        absl::StrCat("<Shape containerField='skin'>", geometry,
                     "<Coordinate point='0 0 0, 1 0 0, 0 1 0, 1 1 0'/>", geometry.substr(0, 1), "/",
                     geometry.substr(1, geometry.find_first_of(" >") - 1), "></Shape>");
    const auto c = Good(person.Text());
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

TEST(X3dSurface, LooksAreTheFiles) {
  const auto look = [](const std::string& appearance, const std::string& inside = "",
                       const std::string& more = "") {
    X3dPerson person;
    person.more = Skin(absl::StrCat("<IndexedFaceSet coordIndex='3 2 1 0 -1' ", more, ">", inside,
                                    "<Coordinate USE='c'/></IndexedFaceSet>"),
                       appearance.empty() ? "" : "<Appearance>" + appearance + "</Appearance>");
    return Good(person.Text());
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

TEST(X3dSurface, PicturesAreTheFirstFileThatCanBeRead) {
  X3dPerson person;
  person.more = Skin(kSquare,
                     "<Appearance><ImageTexture url='\"../a.png\" \"http://b/c.png\" "
                     "\"skins/d.png\"'/></Appearance>");
  std::vector<std::string> asked;
  const auto c = Good(person.Text(), [&](const std::string& name) {
    asked.push_back(name);
    return absl::StatusOr<std::string>("no picture");
  });
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(asked, ElementsAre("../a.png", "http://b/c.png", "skins/d.png"));
  EXPECT_THAT(c->notes, Contains(HasSubstr("the ImageTexture is left out")));
}

}  // namespace
}  // namespace posewire::character
