#include "libs/mesh/subdivision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/mesh/surfaces.h"

namespace posewire::mesh {
namespace {

using skel::Vec3;
using testing::HasSubstr;

struct Mesh {
  Faces faces;
  std::vector<Vec3> points;
};

// One round of the recursive rule: face points, edge points, moved vertices.
Mesh Refined(const Mesh& in) {
  Mesh out;
  struct Edge {
    Vec3 face_sum;
    int faces = 0, point = 0;
  };
  struct Vertex {
    Vec3 face_sum, edge_sum, border_sum;
    int faces = 0, edges = 0, borders = 0;
  };
  std::map<std::pair<int, int>, Edge> edges;
  std::vector<Vertex> vertices(in.points.size());
  const auto key = [](int a, int b) { return std::pair(std::min(a, b), std::max(a, b)); };
  const auto at = [&](int i) { return in.points[static_cast<size_t>(i)]; };
  size_t begin = 0;
  for (const int size : in.faces.sizes) {
    const auto n = static_cast<size_t>(size);
    Vec3 centre;
    for (size_t k = 0; k < n; ++k) centre = centre + at(in.faces.corners[begin + k]);
    centre = centre * (1 / static_cast<float>(size));
    out.points.push_back(centre);
    for (size_t k = 0; k < n; ++k) {
      const int a = in.faces.corners[begin + k], b = in.faces.corners[begin + (k + 1) % n];
      Edge& edge = edges[key(a, b)];
      edge.face_sum = edge.face_sum + centre;
      ++edge.faces;
      Vertex& v = vertices[static_cast<size_t>(a)];
      v.face_sum = v.face_sum + centre;
      ++v.faces;
    }
    begin += n;
  }
  for (auto& [ends, edge] : edges) {
    const Vec3 a = at(ends.first), b = at(ends.second), middle = (a + b) * 0.5f;
    edge.point = static_cast<int>(out.points.size());
    out.points.push_back(edge.faces == 2 ? (a + b + edge.face_sum) * 0.25f : middle);
    for (const int end : {ends.first, ends.second}) {
      Vertex& v = vertices[static_cast<size_t>(end)];
      v.edge_sum = v.edge_sum + middle;
      ++v.edges;
      if (edge.faces == 2) continue;
      v.border_sum = v.border_sum + at(ends.first + ends.second - end);
      ++v.borders;
    }
  }
  const int moved = static_cast<int>(out.points.size());
  for (size_t i = 0; i < vertices.size(); ++i) {
    const Vertex& v = vertices[i];
    const auto n = static_cast<float>(v.faces);
    if (v.borders == 0) {
      out.points.push_back((v.face_sum * (1 / n) + v.edge_sum * (2 / static_cast<float>(v.edges)) +
                            in.points[i] * (n - 3)) *
                           (1 / n));
    } else if (v.faces == 1) {
      out.points.push_back(in.points[i]);
    } else {
      out.points.push_back(in.points[i] * 0.75f + v.border_sum * 0.125f);
    }
  }
  begin = 0;
  for (size_t f = 0; f < in.faces.sizes.size(); ++f) {
    const auto n = static_cast<size_t>(in.faces.sizes[f]);
    for (size_t k = 0; k < n; ++k) {
      const int before = in.faces.corners[begin + (k + n - 1) % n], a = in.faces.corners[begin + k],
                after = in.faces.corners[begin + (k + 1) % n];
      out.faces.sizes.push_back(4);
      for (const int corner : {moved + a, edges[key(a, after)].point, static_cast<int>(f),
                               edges[key(before, a)].point}) {
        out.faces.corners.push_back(corner);
      }
    }
    begin += n;
  }
  out.faces.points = out.points.size();
  return out;
}

// The farthest that a point of `a` is from all points of `b`.
float Farthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  float worst = 0;
  for (const Vec3 p : a) {
    float nearest = 1e9f;
    for (const Vec3 q : b) nearest = std::min(nearest, skel::Length(p - q));
    worst = std::max(worst, nearest);
  }
  return worst;
}

// The middles of faces, to compare faces whose points are in another order.
std::vector<Vec3> Middles(const Faces& faces, const std::vector<Vec3>& points) {
  std::vector<Vec3> out;
  for (size_t k = 0; k + 3 < faces.corners.size(); k += 4) {
    Vec3 sum;
    for (size_t c = k; c < k + 4; ++c) {
      sum = sum + points[static_cast<size_t>(faces.corners[c])] * 0.25f;
    }
    out.push_back(sum);
  }
  return out;
}

Mesh Jittered(Surface s, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> any(-0.1f, 0.1f);
  for (Vec3& p : s.points) p = p + Vec3{any(random), any(random), any(random)};
  return {s.faces, s.points};
}

// Without its first faces, so that it has borders.
Mesh Open(Mesh m, size_t faces) {
  size_t corners = 0;
  for (size_t f = 0; f < faces; ++f) corners += static_cast<size_t>(m.faces.sizes[f]);
  m.faces.sizes.erase(m.faces.sizes.begin(),
                      m.faces.sizes.begin() + static_cast<std::ptrdiff_t>(faces));
  m.faces.corners.erase(m.faces.corners.begin(),
                        m.faces.corners.begin() + static_cast<std::ptrdiff_t>(corners));
  return m;
}

Mesh OneFace() {
  return {{5, {5}, {0, 1, 2, 3, 4}}, {{0, 0, 0}, {2, 0, 0}, {3, 1, 0}, {1, 2, 1}, {0, 1, 0}}};
}

TEST(Subdivision, IsWhatTheRecursiveRuleGives) {
  const std::vector<Mesh> meshes = {Jittered(Torus(8, 6, false), 1), Jittered(Torus(7, 5, true), 2),
                                    Jittered(Sphere(9, 6), 3),
                                    Open(Jittered(Torus(8, 6, false), 4), 3), OneFace()};
  for (const Mesh& coarse : meshes) {
    Mesh slow = coarse;
    for (int levels = 1; levels <= 3; ++levels) {
      slow = Refined(slow);
      const auto fast = Subdivision::Make(coarse.faces, coarse.points, {levels, 0});
      ASSERT_TRUE(fast.ok()) << fast.status();
      EXPECT_EQ(fast->truncation().points, 0u);
      ASSERT_EQ(fast->points(), slow.points.size());
      ASSERT_EQ(fast->faces().sizes.size(), slow.faces.sizes.size());
      std::vector<Vec3> points(fast->points());
      ASSERT_TRUE(fast->Run(coarse.points, absl::MakeSpan(points)).ok());
      EXPECT_LT(Farthest(points, slow.points), 2e-6f) << levels;
      EXPECT_LT(Farthest(slow.points, points), 2e-6f) << levels;
      if (levels < 3) {
        EXPECT_LT(Farthest(Middles(fast->faces(), points), Middles(slow.faces, slow.points)),
                  2e-6f);
      }
    }
  }
}

// The corner's own point, that of the edge after it, of the face, of the edge before it.
TEST(Subdivision, FacesStandInTheOrderOfTheCornersThatTheyComeFrom) {
  for (const Mesh& coarse : {Jittered(Sphere(9, 6), 6), Open(Jittered(Torus(7, 5, true), 7), 4)}) {
    const Mesh slow = Refined(coarse);
    const Subdivision fast = *Subdivision::Make(coarse.faces, coarse.points);
    std::vector<Vec3> points(fast.points());
    ASSERT_TRUE(fast.Run(coarse.points, absl::MakeSpan(points)).ok());
    ASSERT_EQ(fast.faces().corners.size(), slow.faces.corners.size());
    for (size_t k = 0; k < slow.faces.corners.size(); ++k) {
      const Vec3 a = points[static_cast<size_t>(fast.faces().corners[k])],
                 b = slow.points[static_cast<size_t>(slow.faces.corners[k])];
      // Ten weights of more cost the points that have most of them a little.
      ASSERT_LT(skel::Length(a - b), 1e-5f + 2 * fast.truncation().worst_m) << k;
    }
  }
}

TEST(Subdivision, KeepsTheTenLargestWeightsScaledToOneAndTellsTheCost) {
  const Mesh coarse = Jittered(Torus(16, 12, false), 5);
  const Subdivision whole = *Subdivision::Make(coarse.faces, coarse.points, {2, 0});
  const Subdivision cut = *Subdivision::Make(coarse.faces, coarse.points, {2, 10});
  EXPECT_LE(cut.weights(), 10 * cut.points());
  EXPECT_GT(whole.weights(), cut.weights());
  std::vector<Vec3> a(whole.points()), b(cut.points());
  ASSERT_TRUE(whole.Run(coarse.points, absl::MakeSpan(a)).ok());
  ASSERT_TRUE(cut.Run(coarse.points, absl::MakeSpan(b)).ok());
  double worst = 0, sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, double{skel::Length(a[i] - b[i])});
    sum += double{skel::Length(a[i] - b[i])};
  }
  EXPECT_GT(cut.truncation().points, 0u);
  EXPECT_NEAR(cut.truncation().worst_m, worst, 1e-6);
  EXPECT_NEAR(cut.truncation().mean_m, sum / static_cast<double>(a.size()), 1e-6);
  EXPECT_GT(cut.truncation().largest_share, 0);
  EXPECT_LT(cut.truncation().largest_share, 0.1);
  // Weights that sum to 1 carry a mesh that moves as one.
  std::vector<Vec3> moved = coarse.points, c(cut.points());
  for (Vec3& p : moved) p = p + Vec3{1, 2, 3};
  ASSERT_TRUE(cut.Run(moved, absl::MakeSpan(c)).ok());
  for (size_t i = 0; i < c.size(); ++i) {
    EXPECT_LT(skel::Length(c[i] - b[i] - Vec3{1, 2, 3}), 3e-6f);
  }
}

TEST(Subdivision, OneLevelOfQuadsNeedsNoMoreThanTenWeights) {
  const Mesh coarse = Jittered(Torus(16, 12, false), 6);
  const Subdivision one = *Subdivision::Make(coarse.faces, coarse.points);
  EXPECT_EQ(one.truncation().points, 0u);
}

TEST(Subdivision, WhatCannotBeIsNamed) {
  const Mesh m = OneFace();
  EXPECT_THAT(std::string(Subdivision::Make(m.faces, m.points, {5, 10}).status().message()),
              HasSubstr("levels is 5"));
  EXPECT_THAT(std::string(Subdivision::Make(m.faces, {}).status().message()),
              HasSubstr("rest has 0 entries, expected 5"));
  Faces many{3, std::vector<int>(100000, 3), {}};
  for (size_t i = 0; i < many.sizes.size(); ++i) {
    many.corners.insert(many.corners.end(), {0, 1, 2});
  }
  const std::vector<Vec3> three(3);
  EXPECT_EQ(Subdivision::Make(many, three, {4, 10}).status().code(),
            absl::StatusCode::kResourceExhausted);
  const Subdivision fine = *Subdivision::Make(m.faces, m.points);
  std::vector<Vec3> out(3);
  EXPECT_FALSE(fine.Run(m.points, absl::MakeSpan(out)).ok());
}

}  // namespace
}  // namespace posewire::mesh
