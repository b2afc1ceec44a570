#include "libs/offsets/spline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace posewire::offsets {
namespace {

using skel::Vec3;

TEST(Spline, IsClampedAtItsEndsAndPassesThroughItsKnots) {
  const std::vector<Knot> knots = {{0, {0, 0, 0}}, {4, {1, 2, 3}}, {10, {0, 1, 0}}};
  for (const Knot& knot : knots) {
    EXPECT_LT(skel::Length(SplineAt(knots, knot.frame) - knot.at), 1e-6f);
  }
  EXPECT_EQ(SplineAt(knots, 12).y, 1);
}

TEST(Spline, ThroughPointsOnALineIsTheLine) {
  const std::vector<Knot> knots = {{0, {0, 0, 0}}, {3, {3, 0, 6}}, {10, {10, 0, 20}}};
  for (int f = 0; f <= 10; ++f) {
    EXPECT_NEAR(SplineAt(knots, f).x, static_cast<float>(f), 1e-5);
    EXPECT_NEAR(SplineAt(knots, f).z, static_cast<float>(2 * f), 1e-5);
  }
}

float Worst(const std::vector<Vec3>& series, const std::vector<Knot>& knots) {
  float worst = 0;
  for (size_t f = 0; f < series.size(); ++f) {
    worst = std::max(worst, skel::Length(SplineAt(knots, static_cast<int>(f)) - series[f]));
  }
  return worst;
}

TEST(FitSpline, KeepsTwoKnotsOfALineAndOneOfWhatStandsStill) {
  std::vector<Vec3> line;
  for (int f = 0; f < 60; ++f) line.push_back({0.01f * static_cast<float>(f), 0, 0});
  EXPECT_EQ(FitSpline(line, 1e-4f).size(), 2u);
  EXPECT_EQ(FitSpline(std::vector<Vec3>(60, Vec3{1, 2, 3}), 1e-4f).size(), 1u);
  EXPECT_EQ(FitSpline({{1, 2, 3}}, 1e-4f).size(), 1u);
}

TEST(FitSpline, StaysWithinTheToleranceOnRandomWaves) {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> any(-1, 1);
  for (int round = 0; round < 60; ++round) {
    const float a = any(random), b = any(random), speed = 0.3f + std::fabs(any(random));
    std::vector<Vec3> series;
    for (int f = 0; f < 2 + 4 * round; ++f) {
      const float t = static_cast<float>(f) * speed * 0.3f;
      series.push_back({0.03f * std::sin(t), 0.02f * a * std::cos(2 * t), 0.01f * b * t});
    }
    const float tolerance = round % 2 == 0 ? 5e-4f : 2e-3f;
    const std::vector<Knot> knots = FitSpline(series, tolerance);
    EXPECT_LE(Worst(series, knots), tolerance * 1.001f);
    if (series.size() > 60 && speed < 0.6f) {
      EXPECT_LT(knots.size(), series.size() / 2);
    }
  }
}

TEST(FitSpline, NeedsFewerKnotsTheMoreItMayBeOff) {
  std::vector<Vec3> series;
  for (int f = 0; f < 200; ++f) {
    series.push_back({0.03f * std::sin(0.2f * static_cast<float>(f)), 0, 0});
  }
  size_t last = series.size();
  for (const float tolerance : {1e-5f, 1e-4f, 1e-3f}) {
    const size_t knots = FitSpline(series, tolerance).size();
    EXPECT_LT(knots, last);
    last = knots;
  }
}

}  // namespace
}  // namespace posewire::offsets
