#include "libs/graph/eyes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "libs/graph/drift.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

TEST(Blinker, ClosesWhollyEveryTwoToSixSecondsAndSometimesTwice) {
  Random rng(1);
  Blinker b;
  std::vector<float> starts;
  float last = 0, highest = 0;
  for (int k = 0; k < 30 * 600; ++k) {
    b.Step(kTickAsFloat_s, rng);
    const float v = b.value();
    EXPECT_LE(std::fabs(v - last), 0.6f) << k;
    EXPECT_GE(v, 0);
    EXPECT_LE(v, 1);
    if (last == 0 && v > 0) starts.push_back(static_cast<float>(k) * kTickAsFloat_s);
    highest = std::max(highest, v);
    last = v;
  }
  EXPECT_GT(highest, 0.95f);
  int close = 0, usual = 0;
  for (size_t i = 1; i < starts.size(); ++i) {
    const float gap = starts[i] - starts[i - 1];
    if (gap < 0.8f) {
      ++close;
    } else {
      ++usual;
      EXPECT_GE(gap, 2.2f);
      EXPECT_LE(gap, 6.5f);
    }
  }
  EXPECT_GT(close, 5);
  EXPECT_GT(usual, 100);
}

TEST(Blinker, TakesAboutThreeTenthsOfASecond) {
  Random rng(2);
  Blinker b;
  int open = 0, shut = 0;
  for (int k = 0; k < 100 * 60; ++k) {
    b.Step(0.01f, rng);
    if (b.value() > 0) {
      ++shut;
    } else {
      open += shut > 0;
    }
    if (open > 0) break;
  }
  EXPECT_NEAR(shut, 29, 2);
}

TEST(Gaze, FixatesAndJumpsWithinTwoFrames) {
  Random rng(5);
  Gaze g;
  float x = 0, y = 0;
  int still = 0, moving = 0, longest_move = 0;
  double fixations = 0;
  for (int k = 0; k < 30 * 300; ++k) {
    g.Step(kTickAsFloat_s, rng);
    const float step = std::max(std::fabs(g.x() - x), std::fabs(g.y() - y));
    EXPECT_LE(step, 0.5f);
    EXPECT_LE(std::fabs(g.x()), 0.5f);
    if (step > 0) {
      fixations += moving == 0;
      longest_move = std::max(longest_move, ++moving);
    } else {
      moving = 0;
      ++still;
    }
    x = g.x(), y = g.y();
  }
  EXPECT_LE(longest_move, 2);
  EXPECT_GT(fixations, 150);
  EXPECT_LT(fixations, 1000);
  EXPECT_GT(still, 7000);
}

TEST(Drift, IsSmoothBoundedAndGoesOn) {
  Random rng(9);
  Drift d(0.5f, rng);
  float last = d.value(), last_step = 0, low = 1, high = -1;
  for (int k = 0; k < 30 * 600; ++k) {
    d.Step(kTickAsFloat_s, rng);
    const float step = d.value() - last;
    EXPECT_LT(std::fabs(step), 0.06f);
    if (k > 0) {
      EXPECT_LT(std::fabs(step - last_step), 0.01f);
    }
    last = d.value(), last_step = step;
    low = std::min(low, last), high = std::max(high, last);
  }
  EXPECT_LT(low, -0.7f);
  EXPECT_GT(high, 0.7f);
  EXPECT_GE(low, -1.25f);
  EXPECT_LE(high, 1.25f);
}

}  // namespace
}  // namespace posewire::graph
