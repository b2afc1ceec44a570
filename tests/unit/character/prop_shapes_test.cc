#include "libs/character/prop_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace posewire::character {
namespace {

using skel::Vec3;

PropShape Thing(const char* shape, Vec3 size) {
  PropShape prop;
  prop.shape = shape;
  prop.size = size;
  return prop;
}

struct Bounds {
  Vec3 low{1e9f, 1e9f, 1e9f}, high{-1e9f, -1e9f, -1e9f};
};

Bounds BoundsOf(const Mesh& mesh) {
  Bounds b;
  for (const Vec3& p : mesh.points) {
    b.low = {std::min(b.low.x, p.x), std::min(b.low.y, p.y), std::min(b.low.z, p.z)};
    b.high = {std::max(b.high.x, p.x), std::max(b.high.y, p.y), std::max(b.high.z, p.z)};
  }
  return b;
}

TEST(PropShapes, HaveTheirSizeAndTheirOrigin) {
  for (const char* shape : {"cup", "table", "box", "", "unknown"}) {
    const Bounds b = BoundsOf(MeshOf({{Thing(shape, {0.4f, 0.6f, 0.2f})}}));
    EXPECT_NEAR(b.high.x - b.low.x, 0.4f, 1e-3f) << shape;
    EXPECT_NEAR(b.high.y - b.low.y, 0.6f, 1e-3f) << shape;
    EXPECT_NEAR(b.high.z - b.low.z, 0.2f, 1e-3f) << shape;
    const bool stands = std::string(shape) == "cup" || std::string(shape) == "table";
    EXPECT_NEAR(b.low.y, stands ? 0 : -0.3f, 1e-4f) << shape;
  }
  EXPECT_TRUE(MeshOf({}).triangles.empty());
}

TEST(PropShapes, FacesLookTheWayOfTheirNormals) {
  for (const char* shape : {"cup", "table", "box"}) {
    const Mesh mesh = MeshOf({{Thing(shape, {0.1f, 0.2f, 0.1f})}});
    ASSERT_EQ(mesh.normals.size(), mesh.points.size());
    ASSERT_EQ(mesh.colors.size(), mesh.points.size());
    for (size_t i = 0; i < mesh.triangles.size(); i += 3) {
      const auto a = mesh.triangles[i], b = mesh.triangles[i + 1], c = mesh.triangles[i + 2];
      ASSERT_LT(std::max({a, b, c}), mesh.points.size());
      const Vec3 face = Cross(mesh.points[b] - mesh.points[a], mesh.points[c] - mesh.points[a]);
      if (Length(face) < 1e-9f) continue;  // at the tip of a disc
      EXPECT_GT(Dot(Normalized(face), mesh.normals[a]), 0.5f) << shape << " " << i / 3;
    }
  }
}

TEST(PropShapes, StandWhereTheyArePut) {
  PropShape cup = Thing("cup", {0.08f, 0.1f, 0.08f});
  cup.position = {1, 2, 3};
  cup.rotation = skel::FromAxisAngle({0, 0, 1}, 1.57079633f);  // lies towards -X
  const Bounds b = BoundsOf(MeshOf({{cup}}));
  EXPECT_NEAR(b.low.x, 0.9f, 1e-3f);
  EXPECT_NEAR(b.high.x, 1, 1e-3f);
  EXPECT_NEAR(b.high.y, 2.04f, 1e-3f);
  EXPECT_NEAR(b.high.z, 3.04f, 1e-3f);
}

}  // namespace
}  // namespace posewire::character
