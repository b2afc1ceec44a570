#include "tools/loadgen/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace posewire::loadgen {
namespace {

TEST(Histogram, IsZeroWhenEmpty) {
  const Histogram h;
  EXPECT_EQ(h.count(), 0);
  EXPECT_EQ(h.Percentile(50), 0);
}

TEST(Histogram, IsExactBelow128) {
  for (int64_t v = 0; v < 128; ++v) {
    Histogram h;
    h.Add(v);
    h.Add(1000);
    EXPECT_EQ(h.Percentile(50), v);
  }
}

TEST(Histogram, NeverUnderstatesAndOverstatesByLessThanOneIn128) {
  for (int bits = 0; bits < 40; ++bits) {
    for (int64_t delta : {-1, 0, 1}) {
      const int64_t v = std::max<int64_t>(0, (int64_t{1} << bits) + delta);
      Histogram h;
      h.Add(v);
      h.Add(int64_t{1} << 40);
      EXPECT_GE(h.Percentile(50), v);
      EXPECT_LE(static_cast<double>(h.Percentile(50)), static_cast<double>(v) * (1 + 1.0 / 128));
    }
  }
}

TEST(Histogram, CountsWhatIsOutOfRangeAtTheEnds) {
  Histogram h;
  h.Add(-5);
  h.Add(int64_t{1} << 50);
  h.AddSeconds(1e300);
  EXPECT_EQ(h.count(), 3);
  EXPECT_EQ(h.Percentile(0), 0);
  EXPECT_EQ(h.Percentile(100), int64_t{1'000'000'000'000'000'000});
}

TEST(Histogram, AgreesWithSortingOnRandomValues) {
  std::mt19937_64 rng(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<int64_t> values(1 + rng() % 3000);
    std::exponential_distribution<double> spread(std::pow(10, -static_cast<double>(rng() % 11)));
    Histogram whole;
    for (int64_t& v : values) {
      v = static_cast<int64_t>(spread(rng));
      whole.Add(v);
    }
    std::sort(values.begin(), values.end());
    for (double percent : {0.0, 1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
      const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()));
      const auto index = static_cast<size_t>(std::max(1.0, rank)) - 1;
      const int64_t got = whole.Percentile(percent);
      EXPECT_GE(got, values[index]) << percent;
      EXPECT_LE(static_cast<double>(got), static_cast<double>(values[index]) * (1 + 1.0 / 128));
    }
    EXPECT_EQ(whole.Percentile(100), values.back());
  }
}

}  // namespace
}  // namespace posewire::loadgen
