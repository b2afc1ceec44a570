#include "services/renderer_sink/core/lateness.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "gtest/gtest.h"

namespace posewire::renderer_sink {
namespace {

TEST(Lateness, IsZeroWithoutFrames) {
  Lateness lateness;
  EXPECT_EQ(lateness.count(), 0);
  EXPECT_EQ(lateness.Percentile(0.5), 0);
  EXPECT_EQ(lateness.LaterThan(0), 0);
}

TEST(Lateness, CountsFromTheSmallestOffsetWhereverItStands) {
  Lateness lateness;
  for (const double offset_s : {-999.95, -999.99, -1000.0, -999.98}) lateness.Add(offset_s);
  EXPECT_NEAR(lateness.Percentile(1), 0.05, 2e-4);
  EXPECT_NEAR(lateness.Percentile(0.5), 0.01, 2e-4);
  EXPECT_EQ(lateness.LaterThan(0.015), 2);
  EXPECT_EQ(lateness.LaterThan(0.06), 0);
}

TEST(Lateness, ARestartKeepsWhatWasCounted) {
  Lateness lateness;
  lateness.Add(0);
  lateness.Add(1);
  lateness.Restart();
  lateness.Add(-50);
  lateness.Add(-49.5);
  EXPECT_EQ(lateness.count(), 4);
  EXPECT_EQ(lateness.LaterThan(0.4), 2);
  EXPECT_NEAR(lateness.Percentile(1), 1, 2e-4);
}

TEST(Lateness, EndsAtTenSeconds) {
  Lateness lateness;
  lateness.Add(0);
  lateness.Add(5000);
  EXPECT_NEAR(lateness.Percentile(1), 10, 1e-3);
  lateness.Add(-5000);
  EXPECT_EQ(lateness.count(), 3);
  EXPECT_EQ(lateness.LaterThan(9), 2);
}

TEST(Lateness, AgreesWithSorting) {
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    Lateness lateness;
    std::vector<double> offsets;
    std::exponential_distribution<double> jitter(20);
    const double base_s = std::uniform_real_distribution<double>(-1e6, 1e6)(random);
    for (int i = 0; i < 500; ++i) {
      offsets.push_back(base_s + jitter(random));
      lateness.Add(offsets.back());
    }
    std::sort(offsets.begin(), offsets.end());
    for (const double share : {0.01, 0.5, 0.9, 0.99, 1.0}) {
      const auto index = static_cast<size_t>(std::ceil(share * 500)) - 1;
      EXPECT_NEAR(lateness.Percentile(share), offsets[index] - offsets[0], 2.1e-4);
    }
    const double limit_s = 0.05;
    const auto late = std::count_if(offsets.begin(), offsets.end(),
                                    [&](double o) { return o - offsets[0] > limit_s; });
    EXPECT_NEAR(static_cast<double>(lateness.LaterThan(limit_s)), static_cast<double>(late), 4);
  }
}

}  // namespace
}  // namespace posewire::renderer_sink
