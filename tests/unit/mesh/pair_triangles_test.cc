#include "libs/mesh/pair_triangles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

#include "tests/unit/mesh/surfaces.h"

namespace posewire::mesh {
namespace {

using skel::Vec3;
using Triangles = std::vector<std::array<uint32_t, 3>>;

std::vector<uint32_t> Flat(const Triangles& triangles) {
  std::vector<uint32_t> out;
  for (const auto& t : triangles) out.insert(out.end(), t.begin(), t.end());
  return out;
}

// Faces as lists that begin with their least corner.
std::set<std::vector<int>> Known(const Faces& faces) {
  std::set<std::vector<int>> out;
  auto at = faces.corners.begin();
  for (const int size : faces.sizes) {
    std::vector<int> face(at, at + size);
    at += size;
    std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
    out.insert(face);
  }
  return out;
}

TEST(PairTriangles, GivesTheQuadsBackThatWereCut) {
  std::mt19937 random(1);
  const Surface quads = Torus(12, 8, false), cut = Torus(12, 8, true);
  Triangles triangles;
  for (size_t k = 0; k < cut.faces.corners.size(); k += 3) {
    const auto corner = [&](size_t i) { return static_cast<uint32_t>(cut.faces.corners[k + i]); };
    triangles.push_back({corner(0), corner(1), corner(2)});
  }
  EXPECT_EQ(Known(PairTriangles(cut.points, Flat(triangles))), Known(quads.faces));
  // Whatever the order of triangles and corners.
  std::shuffle(triangles.begin(), triangles.end(), random);
  for (auto& t : triangles) std::rotate(t.begin(), t.begin() + random() % 3, t.end());
  const Faces shuffled = PairTriangles(cut.points, Flat(triangles));
  EXPECT_EQ(Known(shuffled), Known(quads.faces));
  EXPECT_TRUE(shuffled.Validate().ok());
}

TEST(PairTriangles, CoversEachTriangleOnce) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> any(-0.15f, 0.15f);
  for (int round = 0; round < 20; ++round) {
    Surface s = Sphere(9, 7);
    for (Vec3& p : s.points) p = p + Vec3{any(random), any(random), any(random)};
    // Fans of its faces.
    Triangles triangles;
    size_t begin = 0;
    for (const int size : s.faces.sizes) {
      for (size_t k = 2; k < static_cast<size_t>(size); ++k) {
        const auto c = [&](size_t i) { return static_cast<uint32_t>(s.faces.corners[begin + i]); };
        triangles.push_back({c(0), c(k - 1), c(k)});
      }
      begin += static_cast<size_t>(size);
    }
    std::shuffle(triangles.begin(), triangles.end(), random);
    const Faces faces = PairTriangles(s.points, Flat(triangles));
    ASSERT_TRUE(faces.Validate().ok());
    size_t covered = 0;
    for (const int size : faces.sizes) covered += static_cast<size_t>(size) - 2;
    EXPECT_EQ(covered, triangles.size());
    // Each directed edge of a face is one of a triangle, and each at most once.
    std::set<std::pair<uint32_t, uint32_t>> edges, seen;
    for (const auto& t : triangles) {
      for (size_t k = 0; k < 3; ++k) edges.insert({t[k], t[(k + 1) % 3]});
    }
    begin = 0;
    for (const int size : faces.sizes) {
      for (size_t k = 0; k < static_cast<size_t>(size); ++k) {
        const std::pair<uint32_t, uint32_t> edge(
            faces.corners[begin + k], faces.corners[begin + (k + 1) % static_cast<size_t>(size)]);
        EXPECT_TRUE(edges.count(edge) > 0 && seen.insert(edge).second);
      }
      begin += static_cast<size_t>(size);
    }
  }
}

TEST(PairTriangles, LeavesAloneWhatMakesNoQuad) {
  // Two sides of a roof; a dart; and a triangle that has a point twice.
  const std::vector<Vec3> roof = {{0, 0, 0}, {1, 0, 0}, {1, -1, 1}, {0, -1, -1}};
  EXPECT_EQ(Known(PairTriangles(roof, Flat({{0, 1, 2}, {0, 3, 1}}))).size(), 2u);
  const std::vector<Vec3> dart = {{0, 0, 0}, {1, 0, 0}, {0.2f, 0.2f, 0}, {0, 1, 0}};
  EXPECT_EQ(Known(PairTriangles(dart, Flat({{0, 1, 2}, {0, 2, 3}}))).size(), 2u);
  EXPECT_EQ(Known(PairTriangles(dart, Flat({{0, 1, 3}, {1, 1, 2}}))),
            (std::set<std::vector<int>>{{0, 1, 3}}));
  EXPECT_TRUE(PairTriangles({}, {}).sizes.empty());
}

}  // namespace
}  // namespace posewire::mesh
