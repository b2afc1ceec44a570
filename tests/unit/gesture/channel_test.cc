#include "libs/gesture/channel.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace posewire::gesture {
namespace {

std::vector<float> Rendered(const Channel& c, double seconds, double delay = 0) {
  std::vector<float> v(static_cast<size_t>(seconds * 30) + 1);
  c.Render(30, delay, absl::MakeSpan(v));
  return v;
}

TEST(Channel, HoldsItsStartWithoutKeys) {
  const std::vector<float> v = Rendered(Channel(0.7f), 1);
  for (float x : v) EXPECT_EQ(x, 0.7f);
}

TEST(Channel, HoldsBeforeAndAfterItsKeys) {
  Channel c(1);
  c.Move(0.5, 1.0, 3, {});
  const std::vector<float> v = Rendered(c, 2);
  EXPECT_FLOAT_EQ(v[5], 1);
  EXPECT_FLOAT_EQ(v[55], 3);
  EXPECT_NEAR(v[22], 2, 0.15);
}

TEST(Channel, NeverPassesBeyondItsKeys) {
  std::mt19937 rng(7);
  std::uniform_real_distribution<float> value(-2, 2);
  for (int round = 0; round < 200; ++round) {
    Channel c(0);
    float low = 1e9f, high = -1e9f;
    double t = 0.1;
    for (int k = 0; k < 8; ++k, t += 0.02 + 0.1 * (k % 3)) {
      const float v = value(rng);
      c.Key(t, v);
      low = std::min(low, v), high = std::max(high, v);
    }
    for (float v : Rendered(c, 2)) {
      EXPECT_GE(v, low - 1e-5f);
      EXPECT_LE(v, high + 1e-5f);
    }
  }
}

TEST(Channel, AnticipatesAndOvershootsByTheAskedParts) {
  Channel c(0);
  c.Move(0.5, 1.5, 10, {0.1f, 0.2f, 0.4});
  const std::vector<float> v = Rendered(c, 3);
  EXPECT_NEAR(*std::min_element(v.begin(), v.end()), -1, 0.1);
  EXPECT_NEAR(*std::max_element(v.begin(), v.end()), 12, 0.2);
  EXPECT_FLOAT_EQ(v.back(), 10);
}

TEST(Channel, DelayShiftsTheCurve) {
  Channel c(0);
  c.Move(0.3, 0.9, 1, {});
  const std::vector<float> now = Rendered(c, 2), late = Rendered(c, 2, 3.0 / 30);
  for (size_t i = 3; i < now.size(); ++i) EXPECT_NEAR(late[i], now[i - 3], 1e-5);
}

TEST(Channel, MovesWithoutJerks) {
  Channel c(0);
  c.Move(0.2, 0.8, 1, {0.05f, 0.05f, 0.2});
  const std::vector<float> v = Rendered(c, 2);
  for (size_t i = 2; i < v.size(); ++i) {
    EXPECT_LT(std::fabs(v[i] - 2 * v[i - 1] + v[i - 2]), 0.045) << i;
  }
}

}  // namespace
}  // namespace posewire::gesture
