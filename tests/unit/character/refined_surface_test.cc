#include "libs/character/refined_surface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libs/character_file/builtin.h"
#include "libs/character_file/read_character.h"
#include "libs/mesh/subdivision.h"
#include "tests/unit/character/reading.h"

namespace posewire::character {
namespace {

using skel::Vec3;
using testing::HasSubstr;

std::shared_ptr<Character> Empty() {
  auto out = std::make_shared<Character>();
  out->rig = *Rigs().Find("hanim_loa3");
  out->nodes.resize(1);
  out->order = {0};
  out->materials.resize(2);
  return out;
}

Mesh& AddMesh(Character& to, const std::string& name, int material) {
  Mesh& mesh = to.meshes.emplace_back();
  mesh.name = name;
  mesh.node = 0;
  mesh.material = material;
  mesh.per_point = 1;
  return mesh;
}

uint32_t AddPoint(Mesh& mesh, Vec3 at, std::array<float, 2> uv = {0, 0},
                  std::array<uint8_t, 4> color = {0, 0, 0, 255}) {
  mesh.points.push_back(at);
  mesh.normals.push_back({0, 1, 0});
  mesh.uv.push_back(uv);
  mesh.colors.push_back(color);
  mesh.joints.push_back(0);
  mesh.weights.push_back(1);
  return static_cast<uint32_t>(mesh.points.size() - 1);
}

void AddQuad(Mesh& mesh, const std::array<uint32_t, 4>& q) {
  mesh.triangles.insert(mesh.triangles.end(), {q[0], q[1], q[2], q[0], q[2], q[3]});
}

constexpr int kSides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                              {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

Vec3 CornerOf(int c) {
  return {static_cast<float>(c & 1) - 0.5f, static_cast<float>(c >> 1 & 1) - 0.5f,
          static_cast<float>(c >> 2) - 0.5f};
}

// A cube whose sides share no point, as files have it: three of one material, three of another.
// Side f has the coordinates from f to f + 1.
std::shared_ptr<Character> TwoColouredCube() {
  auto out = Empty();
  AddMesh(*out, "dark", 0);
  AddMesh(*out, "light", 1);
  for (int f = 0; f < 6; ++f) {
    Mesh& mesh = out->meshes[static_cast<size_t>(f % 2)];
    std::array<uint32_t, 4> quad{};
    for (int k = 0; k < 4; ++k) {
      const float u = static_cast<float>(f) + (k == 1 || k == 2 ? 1.0f : 0.0f),
                  v = static_cast<float>(k / 2);
      quad[static_cast<size_t>(k)] =
          AddPoint(mesh, CornerOf(kSides[f][k]), {u, v}, {static_cast<uint8_t>(40 * k), 0, 0, 255});
    }
    AddQuad(mesh, quad);
  }
  return out;
}

absl::Status PoseAsItIs(RefinedSurface& surface, const Character& c) {
  return surface.Pose([&](size_t m) { return absl::MakeConstSpan(c.meshes[m].points); });
}

TEST(RefinedSurface, HasThePointsOfSubdivisionInAnyPose) {
  const auto cube = TwoColouredCube();
  const Deformer deformer(cube);
  auto surface = *RefinedSurface::Make(deformer);
  EXPECT_EQ(surface->left_out(), "");
  EXPECT_EQ(surface->coarse_points(), 8u);
  EXPECT_EQ(surface->fine_points(), 26u);
  mesh::Faces faces;
  faces.points = 8;
  std::vector<Vec3> rest;
  for (int c = 0; c < 8; ++c) rest.push_back(CornerOf(c));
  for (const auto& side : kSides) {
    faces.sizes.push_back(4);
    faces.corners.insert(faces.corners.end(), std::begin(side), std::end(side));
  }
  const auto subdivision = *mesh::Subdivision::Make(faces, rest);
  std::mt19937 random(3);
  std::uniform_real_distribution<float> any(-0.3f, 0.3f);
  for (int round = 0; round < 10; ++round) {
    std::vector<Vec3> posed = rest, fine(subdivision.points());
    for (Vec3& p : posed) p = p + Vec3{any(random), any(random), any(random)};
    ASSERT_TRUE(subdivision.Run(posed, absl::MakeSpan(fine)).ok());
    std::vector<Vec3> of[2];
    for (int f = 0; f < 6; ++f) {
      for (const int corner : kSides[f]) of[f % 2].push_back(posed[static_cast<size_t>(corner)]);
    }
    ASSERT_TRUE(surface->Pose([&](size_t m) { return absl::MakeConstSpan(of[m]); }).ok());
    std::set<size_t> met;
    for (size_t m = 0; m < 2; ++m) {
      for (const Vec3 p : surface->part(m).points) {
        const auto nearest =
            std::min_element(fine.begin(), fine.end(), [&](const Vec3& a, const Vec3& b) {
              return skel::Length(a - p) < skel::Length(b - p);
            });
        ASSERT_LT(skel::Length(*nearest - p), 1e-6f);
        met.insert(static_cast<size_t>(nearest - fine.begin()));
      }
    }
    EXPECT_EQ(met.size(), fine.size());
  }
}

TEST(RefinedSurface, RefinesTheFirstLevelByTheSecond) {
  const auto cube = TwoColouredCube();
  const Deformer deformer(cube);
  auto surface = *RefinedSurface::Make(deformer, 2);
  EXPECT_EQ(surface->fine_points(), 98u);
  mesh::Faces faces;
  faces.points = 8;
  std::vector<Vec3> rest;
  for (int c = 0; c < 8; ++c) rest.push_back(CornerOf(c));
  for (const auto& side : kSides) {
    faces.sizes.push_back(4);
    faces.corners.insert(faces.corners.end(), std::begin(side), std::end(side));
  }
  // All weights of both levels at once.
  const auto subdivision = *mesh::Subdivision::Make(faces, rest, {2, 0});
  std::vector<Vec3> fine(subdivision.points());
  ASSERT_EQ(fine.size(), 98u);
  ASSERT_TRUE(subdivision.Run(rest, absl::MakeSpan(fine)).ok());
  ASSERT_TRUE(PoseAsItIs(*surface, *cube).ok());
  std::set<size_t> met;
  for (size_t m = 0; m < 2; ++m) {
    const RefinedSurface::Part& part = surface->part(m);
    EXPECT_EQ(part.triangles.size(), size_t{3} * 16 * 2 * 3);
    for (size_t i = 0; i < part.points.size(); ++i) {
      const Vec3 p = part.points[i];
      const auto nearest = std::min_element(
          fine.begin(), fine.end(),
          [&](const Vec3& a, const Vec3& b) { return skel::Length(a - p) < skel::Length(b - p); });
      ASSERT_LT(skel::Length(*nearest - p), 1e-6f);
      met.insert(static_cast<size_t>(nearest - fine.begin()));
      // Coordinates of a side are quarters of it.
      const float u = part.uv[i][0], v = part.uv[i][1];
      EXPECT_EQ(4 * u, std::round(4 * u));
      EXPECT_EQ(4 * v, std::round(4 * v));
      EXPECT_GT(skel::Dot(part.normals[i], skel::Normalized(p)), 0.9f);
    }
    for (size_t t = 0; t < part.triangles.size(); t += 3) {
      const Vec3 a = part.points[part.triangles[t]], b = part.points[part.triangles[t + 1]],
                 c = part.points[part.triangles[t + 2]];
      ASSERT_GT(skel::Dot(skel::Cross(b - a, c - a), a), 0) << "triangles face outwards";
      float low = 9, high = 0;
      for (size_t k = 0; k < 3; ++k) {
        const float u = part.uv[part.triangles[t + k]][0];
        low = std::min(low, u), high = std::max(high, u);
      }
      EXPECT_EQ(high - low, 0.25f) << "each triangle is in one side's chart";
    }
  }
  EXPECT_EQ(met.size(), fine.size());
}

TEST(RefinedSurface, HasOneOrTwoLevels) {
  const auto cube = TwoColouredCube();
  for (const int levels : {-1, 0, 3}) {
    const absl::Status s = RefinedSurface::Make(Deformer(cube), levels).status();
    EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(s.message()), HasSubstr("expected 1 to 2"));
  }
}

TEST(RefinedSurface, KeepsMaterialsAndCoordinatesOnTheirFaces) {
  const auto cube = TwoColouredCube();
  const Deformer deformer(cube);
  auto surface = *RefinedSurface::Make(deformer);
  ASSERT_TRUE(PoseAsItIs(*surface, *cube).ok());
  for (size_t m = 0; m < 2; ++m) {
    const RefinedSurface::Part& part = surface->part(m);
    ASSERT_EQ(part.triangles.size(), size_t{3} * 4 * 2 * 3);
    ASSERT_EQ(part.uv.size(), part.points.size());
    ASSERT_EQ(part.colors.size(), part.points.size());
    for (size_t t = 0; t < part.triangles.size(); t += 3) {
      Vec3 middle;
      float u = 0;
      for (size_t k = 0; k < 3; ++k) {
        middle = middle + part.points[part.triangles[t + k]] * (1 / 3.0f);
        u += part.uv[part.triangles[t + k]][0] / 3;
      }
      // The side that it lies on is its mesh's, and has its coordinates.
      int side = 0;
      float nearest = 9;
      for (int f = 0; f < 6; ++f) {
        const Vec3 at = (CornerOf(kSides[f][0]) + CornerOf(kSides[f][2])) * 0.5f;
        if (skel::Length(at - middle) < nearest) nearest = skel::Length(at - middle), side = f;
      }
      EXPECT_EQ(static_cast<size_t>(side % 2), m);
      EXPECT_EQ(static_cast<int>(std::floor(u)), side);
    }
    for (size_t i = 0; i < part.points.size(); ++i) {
      // Corners of a side have their own coordinates, edges and middles the means.
      const float u = part.uv[i][0], v = part.uv[i][1];
      EXPECT_EQ(2 * u, std::round(2 * u));
      EXPECT_EQ(2 * v, std::round(2 * v));
      if (u != std::floor(u) && v == 0.5f) {
        EXPECT_EQ(part.colors[i][0], 60);
      }
      EXPECT_GT(skel::Dot(part.normals[i], skel::Normalized(part.points[i])), 0.85f);
    }
  }
}

// Two flat pieces that lie on each other's edge; a shape moves the one away.
TEST(RefinedSurface, PointsThatMoveApartAreNotJoined) {
  for (const bool apart : {false, true}) {
    auto lips = Empty();
    Mesh& mesh = AddMesh(*lips, "lips", 0);
    for (int row = 0; row < 2; ++row) {
      std::array<uint32_t, 4> quad{};
      for (int k = 0; k < 4; ++k) {
        quad[static_cast<size_t>(k)] =
            AddPoint(mesh, {k == 1 || k == 2 ? 1.0f : 0.0f, static_cast<float>(row + k / 2), 0});
      }
      AddQuad(mesh, quad);
    }
    mesh::BlendShapeParts open;
    open.name = "open";
    open.indices = {4, 5, 6, 7};
    if (!apart) open.indices = {2, 3, 4, 5, 6, 7};
    open.offsets.assign(open.indices.size(), {0, 0.5f, 0});
    mesh.shapes.push_back(*mesh::BlendShape::Make(std::move(open)));
    mesh.shape_weights = {0};
    const auto surface = *RefinedSurface::Make(Deformer(lips));
    EXPECT_EQ(surface->coarse_points(), apart ? 8u : 6u);
  }
}

TEST(RefinedSurface, MeshesThatAreNoSurfaceStayAsTheyAreAndAreNamed) {
  auto both = TwoColouredCube();
  Mesh& book = AddMesh(*both, "book", 0);
  AddPoint(book, {0, 3, 0});
  AddPoint(book, {0, 4, 0});
  for (int page = 0; page < 3; ++page) {
    const float a = 2.0f * static_cast<float>(page);
    const uint32_t p = AddPoint(book, {std::cos(a), 3, std::sin(a)});
    book.triangles.insert(book.triangles.end(), {0, 1, p});
  }
  const Deformer deformer(both);
  auto surface = *RefinedSurface::Make(deformer);
  EXPECT_THAT(surface->left_out(), HasSubstr("book: at an edge more than two faces meet"));
  EXPECT_TRUE(surface->has(0) && surface->has(1));
  EXPECT_FALSE(surface->has(2));
  EXPECT_EQ(surface->fine_points(), 26u);
  EXPECT_TRUE(PoseAsItIs(*surface, *both).ok());
  both->meshes.erase(both->meshes.begin(), both->meshes.begin() + 2);
  const auto none = *RefinedSurface::Make(Deformer(both));
  EXPECT_FALSE(none->has(0));
  EXPECT_TRUE(PoseAsItIs(*none, *both).ok());
}

// Both sides of a leaf, one on the other: no one surface, but two.
TEST(RefinedSurface, SheetsThatLieOnEachOtherAreRefinedApart) {
  auto leaf = Empty();
  Mesh& mesh = AddMesh(*leaf, "leaf", 0);
  for (const bool back : {false, true}) {
    std::array<uint32_t, 4> quad{};
    for (int k = 0; k < 4; ++k) {
      quad[static_cast<size_t>(k)] =
          AddPoint(mesh, {k == 1 || k == 2 ? 1.0f : 0.0f, static_cast<float>(k / 2), 0});
    }
    if (back) std::reverse(quad.begin(), quad.end());
    AddQuad(mesh, quad);
    // A second quad above it, so that an edge inside is shared by four.
    std::array<uint32_t, 4> above{};
    for (int k = 0; k < 4; ++k) {
      above[static_cast<size_t>(k)] =
          AddPoint(mesh, {k == 1 || k == 2 ? 1.0f : 0.0f, 1 + static_cast<float>(k / 2), 0});
    }
    if (back) std::reverse(above.begin(), above.end());
    AddQuad(mesh, above);
  }
  const auto surface = *RefinedSurface::Make(Deformer(leaf));
  EXPECT_EQ(surface->left_out(), "");
  EXPECT_TRUE(surface->has(0));
  EXPECT_EQ(surface->coarse_points(), 16u) << "as the file has them";
}

TEST(RefinedSurface, RejectsAnotherCountOfPoints) {
  const auto cube = TwoColouredCube();
  auto surface = *RefinedSurface::Make(Deformer(cube));
  const std::vector<Vec3> few(3);
  const absl::Status s = surface->Pose([&](size_t) { return absl::MakeConstSpan(few); });
  EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), HasSubstr("mesh 0 has 3 points, expected 12"));
}

TEST(RefinedSurface, OfTheWomanLeavesNothingOut) {
  if (character_file::BuiltinFile("woman").empty())
    GTEST_SKIP() << "the build had no data to make her of";
  const auto woman = *character_file::OpenCharacter("woman", Rigs());
  Deformer deformer(woman);
  auto surface = *RefinedSurface::Make(deformer);
  EXPECT_EQ(surface->left_out(), "");
  ASSERT_TRUE(PoseAsItIs(*surface, *woman).ok());
  size_t shown = 0, points = 0;
  for (size_t m = 0; m < woman->meshes.size(); ++m) {
    if (!deformer.shown(m)) continue;
    ASSERT_TRUE(surface->has(m));
    shown += woman->meshes[m].points.size();
    points += surface->part(m).points.size();
  }
  EXPECT_LT(surface->coarse_points(), shown);
  EXPECT_GT(points, 3 * shown);
}

}  // namespace
}  // namespace posewire::character
