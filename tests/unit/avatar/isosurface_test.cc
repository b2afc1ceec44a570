#include "libs/avatar/isosurface.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

namespace posewire::avatar {
namespace {

using skel::Vec3;

const auto kBall = [](Vec3 p) { return skel::Length(p - Vec3{0.1f, 0.2f, -0.3f}) - 0.5f; };

TEST(Isosurface, PointsOfABallLieOnIt) {
  const Isosurface ball = Triangulate(kBall, {{-1, -1, -1}, {1, 1, 1}}, 0.05f);
  ASSERT_GT(ball.points.size(), 1000u);
  for (size_t i = 0; i < ball.points.size(); ++i) {
    EXPECT_NEAR(kBall(ball.points[i]), 0, 1e-4);
    const Vec3 out = skel::Normalized(ball.points[i] - Vec3{0.1f, 0.2f, -0.3f});
    EXPECT_GT(skel::Dot(out, ball.normals[i]), 0.999f);
  }
}

TEST(Isosurface, TrianglesFaceOutwardsAndEveryEdgeIsSharedByTwo) {
  const Isosurface ball = Triangulate(kBall, {{-1, -1, -1}, {1, 1, 1}}, 0.07f);
  std::map<std::pair<int, int>, int> edges;
  for (size_t i = 0; i < ball.triangles.size(); i += 3) {
    Vec3 p[3];
    for (size_t k = 0; k < 3; ++k) {
      p[k] = ball.points[static_cast<size_t>(ball.triangles[i + k])];
      ++edges[{ball.triangles[i + k], ball.triangles[i + (k + 1) % 3]}];
    }
    const Vec3 normal = skel::Cross(p[1] - p[0], p[2] - p[0]);
    EXPECT_GT(skel::Dot(normal, p[0] - Vec3{0.1f, 0.2f, -0.3f}), 0);
  }
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(edges.count({edge.second, edge.first}));
  }
}

TEST(Isosurface, SmoothMinimumLiesBelowBothWithinItsReachAndIsTheLesserBeyond) {
  EXPECT_FLOAT_EQ(SmoothMin(1, 2, 0.5f), 1);
  EXPECT_FLOAT_EQ(SmoothMin(2, 1, 0.5f), 1);
  EXPECT_FLOAT_EQ(SmoothMin(1, 1, 0.5f), 1 - 0.125f);
  EXPECT_FLOAT_EQ(SmoothMax(1, 1, 0.5f), 1 + 0.125f);
}

TEST(Isosurface, OpennessFallsInACorner) {
  const auto plane = [](Vec3 p) { return p.y; };
  const auto corner = [](Vec3 p) { return std::min(p.y, p.x); };
  EXPECT_FLOAT_EQ(Openness(plane, {0, 0, 0}, {0, 1, 0}), 1);
  EXPECT_LT(Openness(corner, {0.001f, 0, 0}, {0, 1, 0}), 0.2f);
}

}  // namespace
}  // namespace posewire::avatar
