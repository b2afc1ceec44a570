#include "libs/graph/triangulation.h"

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "libs/random/random.h"

namespace posewire::graph {
namespace {

using Points = std::vector<PlanePoint>;

double Cross(PlanePoint a, PlanePoint b, PlanePoint c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}
PlanePoint At(const Points& p, int i) { return p[static_cast<size_t>(i)]; }

// Area of the convex hull by gift wrapping, in no way related to the sweep.
double HullArea(const Points& p) {
  size_t start = 0;
  for (size_t i = 1; i < p.size(); ++i) {
    if (p[i].x < p[start].x || (p[i].x == p[start].x && p[i].y < p[start].y)) start = i;
  }
  double twice = 0;
  size_t at = start;
  for (size_t guard = 0; guard <= p.size(); ++guard) {
    size_t next = at == 0 ? 1 : 0;
    for (size_t i = 0; i < p.size(); ++i) {
      if (i == at || i == next) continue;
      const double turn = Cross(p[at], p[next], p[i]);
      const auto far = [&](size_t k) { return std::hypot(p[k].x - p[at].x, p[k].y - p[at].y); };
      if (turn < 0 || (turn == 0 && far(i) > far(next))) next = i;
    }
    twice += p[at].x * p[next].y - p[next].x * p[at].y;
    at = next;
    if (at == start) break;
  }
  return twice / 2;
}

Points RandomPoints(Random& rng, int n, bool grid) {
  Points points;
  while (static_cast<int>(points.size()) < n) {
    PlanePoint p{rng.Uniform(-5, 5), rng.Uniform(-5, 5)};
    if (grid) p = {std::round(p.x), std::round(p.y)};
    const bool taken = std::any_of(points.begin(), points.end(),
                                   [&](const PlanePoint& q) { return q.x == p.x && q.y == p.y; });
    if (!taken) points.push_back(p);
  }
  return points;
}

// Grids have many points on one line and on one circle: all the hard cases.
TEST(Triangulation, FillsTheHullWithTrianglesWhoseCirclesAreEmpty) {
  Random rng(3);
  for (int round = 0; round < 600; ++round) {
    const Points p = RandomPoints(rng, 3 + static_cast<int>(rng.Next() % 25), round % 2 == 0);
    const Triangulation t(p);
    double area = 0;
    for (const auto& tri : t.triangles()) {
      const PlanePoint a = At(p, tri[0]), b = At(p, tri[1]), c = At(p, tri[2]);
      const double twice = Cross(a, b, c);
      ASSERT_GT(twice, 0) << "anticlockwise, round " << round;
      area += twice / 2;
      // The circle by its middle and radius.
      const double aa = a.x * a.x + a.y * a.y, bb = b.x * b.x + b.y * b.y,
                   cc = c.x * c.x + c.y * c.y;
      const PlanePoint middle{
          (aa * (b.y - c.y) + bb * (c.y - a.y) + cc * (a.y - b.y)) / (2 * twice),
          (aa * (c.x - b.x) + bb * (a.x - c.x) + cc * (b.x - a.x)) / (2 * twice)};
      const double radius = std::hypot(a.x - middle.x, a.y - middle.y);
      for (const PlanePoint& q : p) {
        ASSERT_GE(std::hypot(q.x - middle.x, q.y - middle.y), radius * (1 - 1e-6))
            << "round " << round;
      }
    }
    ASSERT_NEAR(area, HullArea(p), 1e-9) << "round " << round;
  }
}

TEST(Triangulation, WeightsGiveThePlaceBackInsideAndTheNearestPlaceOutside) {
  Random rng(4);
  for (int round = 0; round < 300; ++round) {
    const Points p = RandomPoints(rng, 3 + static_cast<int>(rng.Next() % 12), round % 2 == 0);
    const Triangulation t(p);
    for (int k = 0; k < 40; ++k) {
      const PlanePoint q{rng.Uniform(-7, 7), rng.Uniform(-7, 7)};
      const auto mix = t.At(q);
      PlanePoint got;
      double sum = 0;
      for (size_t i = 0; i < 3; ++i) {
        ASSERT_GE(mix.weights[i], 0);
        sum += mix.weights[i];
        got.x += mix.weights[i] * At(p, mix.points[i]).x;
        got.y += mix.weights[i] * At(p, mix.points[i]).y;
      }
      ASSERT_NEAR(sum, 1, 1e-9);
      const bool inside =
          std::any_of(t.triangles().begin(), t.triangles().end(), [&](const auto& tri) {
            const PlanePoint a = At(p, tri[0]), b = At(p, tri[1]), c = At(p, tri[2]);
            return Cross(a, b, q) >= 0 && Cross(b, c, q) >= 0 && Cross(c, a, q) >= 0;
          });
      double nearest = inside ? 0 : 1e9;
      // A fine walk along every edge that any two points make within the hull's outline.
      for (const auto& e : t.outline()) {
        for (int s = 0; s <= 200 && !inside; ++s) {
          const double u = s / 200.0;
          nearest = std::min(nearest,
                             std::hypot(At(p, e[0]).x + (At(p, e[1]).x - At(p, e[0]).x) * u - q.x,
                                        At(p, e[0]).y + (At(p, e[1]).y - At(p, e[0]).y) * u - q.y));
        }
      }
      ASSERT_NEAR(std::hypot(got.x - q.x, got.y - q.y), nearest, inside ? 1e-9 : 0.03)
          << "round " << round;
    }
  }
}

TEST(Triangulation, APointHasItsOwnWeightAlone) {
  Random rng(5);
  for (int round = 0; round < 200; ++round) {
    const Points p = RandomPoints(rng, 1 + static_cast<int>(rng.Next() % 12), round % 2 == 0);
    const Triangulation t(p);
    for (size_t i = 0; i < p.size(); ++i) {
      const auto mix = t.At(p[i]);
      double own = 0;
      for (size_t k = 0; k < 3; ++k) {
        if (mix.points[k] == static_cast<int>(i)) own += mix.weights[k];
      }
      ASSERT_NEAR(own, 1, 1e-9) << round;
    }
  }
}

TEST(Triangulation, WeightsAreContinuousOnAnyWalk) {
  Random rng(6);
  for (int round = 0; round < 100; ++round) {
    const Points p = RandomPoints(rng, 1 + static_cast<int>(rng.Next() % 12), true);
    const Triangulation t(p);
    std::vector<double> last;
    const PlanePoint from{rng.Uniform(-8, 8), rng.Uniform(-8, 8)},
        to{rng.Uniform(-8, 8), rng.Uniform(-8, 8)};
    for (int k = 0; k <= 20000; ++k) {
      const double u = k / 20000.0;
      const auto mix = t.At({from.x + (to.x - from.x) * u, from.y + (to.y - from.y) * u});
      std::vector<double> now(p.size());
      for (size_t i = 0; i < 3; ++i) now[static_cast<size_t>(mix.points[i])] += mix.weights[i];
      for (size_t i = 0; k > 0 && i < now.size(); ++i) {
        // Grid triangles of a height below 1/12 do not come up: a step is at most 0.0012 long.
        ASSERT_NEAR(now[i], last[i], 0.02) << "round " << round << " step " << k;
      }
      last = std::move(now);
    }
  }
}

TEST(Triangulation, PointsOnOneLineMakeAChain) {
  const Triangulation t({{2, 2}, {0, 0}, {1, 1}, {5, 5}});
  EXPECT_TRUE(t.triangles().empty());
  EXPECT_EQ(t.outline().size(), 3u);
  const auto mix = t.At({2, 1});  // nearest to (1.5, 1.5)
  double weights[4] = {};
  for (size_t i = 0; i < 3; ++i) weights[mix.points[i]] += mix.weights[i];
  EXPECT_NEAR(weights[0], 0.5, 1e-12);
  EXPECT_NEAR(weights[2], 0.5, 1e-12);
}

}  // namespace
}  // namespace posewire::graph
