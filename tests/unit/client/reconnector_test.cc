#include "libs/client/reconnector.h"

#include <cmath>

#include "gtest/gtest.h"

namespace posewire::client {
namespace {

ReconnectOptions WithoutJitter() {
  ReconnectOptions options;
  options.jitter = 0;
  return options;
}

TEST(Reconnector, After4SecondsGrowsBy1Point6UpTo2Seconds) {
  Reconnector reconnector(WithoutJitter(), 1);
  double now_s = 10;
  const auto fail = [&] {
    reconnector.OnAttempt(now_s);
    const double delay_s = reconnector.OnLoss(now_s).value_or(-1);
    now_s += delay_s;
    return delay_s;
  };
  // Whoever is away for 3 s is called again within 0.2 s of coming back.
  for (int i = 0; i < 20; ++i) EXPECT_NEAR(fail(), 0.2, 1e-9) << i;
  EXPECT_NEAR(now_s, 14, 1e-6);
  now_s = 14;
  const double expected[] = {0.2, 0.32, 0.512, 0.8192, 1.31072, 2, 2, 2};
  for (const double want : expected) EXPECT_NEAR(fail(), want, 1e-9);
}

TEST(Reconnector, JitterStaysWithin20PercentAndUnderTheMaximum) {
  double smallest = 1e9, largest = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Reconnector reconnector(ReconnectOptions(), seed);
    reconnector.OnAttempt(0);
    double base = 0.2;
    for (int i = 0; i < 8; ++i) {
      const double delay_s = *reconnector.OnLoss(4);
      EXPECT_LE(delay_s, 2);
      EXPECT_GE(delay_s, base * 0.8 - 1e-9);
      EXPECT_LE(delay_s, std::min(2.0, base * 1.2) + 1e-9);
      if (i == 0) {
        smallest = std::min(smallest, delay_s);
        largest = std::max(largest, delay_s);
      }
      base = std::min(2.0, base * 1.6);
    }
  }
  EXPECT_LT(smallest, 0.165);
  EXPECT_GT(largest, 0.235);
}

TEST(Reconnector, StartsOverOnlyAfterAHealthyConnection) {
  Reconnector reconnector(WithoutJitter(), 1);
  reconnector.OnAttempt(0);
  EXPECT_NEAR(*reconnector.OnLoss(4), 0.2, 1e-9);
  // Alive for half a second only: a server that takes calls and breaks at once gets no hammering.
  reconnector.OnAttempt(5);
  reconnector.OnAlive(5);
  EXPECT_NEAR(*reconnector.OnLoss(5.5), 0.32, 1e-9);
  reconnector.OnAttempt(6);
  reconnector.OnAlive(6);
  EXPECT_NEAR(*reconnector.OnLoss(7), 0.2, 1e-9);
}

TEST(Reconnector, GivesUpAfterTheTimeWithoutAHealthyConnection) {
  ReconnectOptions options = WithoutJitter();
  options.give_up_s = 5;
  Reconnector reconnector(options, 1);
  reconnector.OnAttempt(100);
  EXPECT_TRUE(reconnector.OnLoss(100).has_value());
  reconnector.OnAttempt(104.9);
  EXPECT_TRUE(reconnector.OnLoss(104.9).has_value());
  reconnector.OnAttempt(105);
  EXPECT_FALSE(reconnector.OnLoss(105).has_value());
}

TEST(Reconnector, AHealthyConnectionMovesTheDeadline) {
  ReconnectOptions options = WithoutJitter();
  options.give_up_s = 5;
  Reconnector reconnector(options, 1);
  reconnector.OnAttempt(0);
  reconnector.OnAlive(0);
  EXPECT_TRUE(reconnector.OnLoss(100).has_value());
  reconnector.OnAttempt(104);
  EXPECT_TRUE(reconnector.OnLoss(104).has_value());
  reconnector.OnAttempt(106);
  EXPECT_FALSE(reconnector.OnLoss(106).has_value());
}

}  // namespace
}  // namespace posewire::client
