#include "libs/random/random.h"

#include <algorithm>
#include <limits>

#include "gtest/gtest.h"

namespace posewire {
namespace {

// Values of another implementation of PCG32, on its default stream.
TEST(Random, GivesTheSequenceOfPcg32OnEveryMachine) {
  const struct {
    uint64_t seed;
    uint32_t values[5];
  } known[] = {{0, {0xe823a24e, 0x7a7ecbd9, 0x89fd6c06, 0xae646aa8, 0xcd3cf945}},
               {42, {0xc2f57bd6, 0x6b07c4a9, 0x72b7b29b, 0x44215383, 0xf5af5ead}},
               {std::numeric_limits<uint64_t>::max(),
                {0xd9313036, 0xcd4b6992, 0x7b8ec69e, 0x999dd010, 0x5c4eb9ab}}};
  for (const auto& row : known) {
    Random random(row.seed);
    for (uint32_t value : row.values) EXPECT_EQ(random.Next(), value) << row.seed;
  }
}

TEST(Random, UniformFillsItsRangeAndNeverReachesTheUpperEnd) {
  Random random(7);
  float least = 1, most = 0;
  double sum = 0;
  constexpr int kTimes = 100000;
  for (int i = 0; i < kTimes; ++i) {
    const float value = random.Uniform();
    least = std::min(least, value);
    most = std::max(most, value);
    sum += static_cast<double>(value);
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(least, 0.001f);
  EXPECT_GT(most, 0.999f);
  EXPECT_LT(most, 1);
  EXPECT_NEAR(sum / kTimes, 0.5, 0.005);
  for (int i = 0; i < 1000; ++i) {
    const float value = random.Uniform(-2, 3);
    EXPECT_GE(value, -2);
    EXPECT_LE(value, 3);
  }
}

}  // namespace
}  // namespace posewire
