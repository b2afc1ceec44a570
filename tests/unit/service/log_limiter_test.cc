#include "libs/service/log_limiter.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace posewire::service {
namespace {

using std::chrono::milliseconds;

const LogLimiter::Time kStart{std::chrono::hours(1)};

TEST(LogLimiter, LetsSoManyLinesASecondThrough) {
  LogLimiter limiter(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limiter.Take(LogLevel::kInfo, "a", kStart));
  EXPECT_FALSE(limiter.Take(LogLevel::kInfo, "a", kStart));
  EXPECT_FALSE(limiter.Take(LogLevel::kInfo, "a", kStart + milliseconds(999)));
  EXPECT_TRUE(limiter.Take(LogLevel::kInfo, "a", kStart + milliseconds(1000)));
  EXPECT_EQ(limiter.held_back(), 2);
}

TEST(LogLimiter, CountsEachMessageByItself) {
  LogLimiter limiter(1);
  EXPECT_TRUE(limiter.Take(LogLevel::kInfo, "a", kStart));
  EXPECT_TRUE(limiter.Take(LogLevel::kInfo, "b", kStart));
  EXPECT_FALSE(limiter.Take(LogLevel::kInfo, "a", kStart));
  EXPECT_FALSE(limiter.Take(LogLevel::kInfo, "b", kStart));
}

TEST(LogLimiter, TellsOnceWhatItHeldBackWhenTheSecondIsOver) {
  LogLimiter limiter(2);
  for (int i = 0; i < 125; ++i) limiter.Take(LogLevel::kWarning, "a", kStart + milliseconds(i));
  EXPECT_TRUE(limiter.TakeHeld(kStart + milliseconds(999)).empty());
  const auto held = limiter.TakeHeld(kStart + milliseconds(1000));
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0].message, "a");
  EXPECT_EQ(held[0].level, LogLevel::kWarning);
  EXPECT_EQ(held[0].lines, 123);
  EXPECT_TRUE(limiter.TakeHeld(kStart + milliseconds(5000)).empty());
}

TEST(LogLimiter, ZeroIsNoLimit) {
  LogLimiter limiter(0);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(limiter.Take(LogLevel::kInfo, "a", kStart));
  EXPECT_EQ(limiter.held_back(), 0);
}

TEST(LogLimiter, EveryLineIsWrittenOrToldOf) {
  std::mt19937 random(3);
  LogLimiter limiter(4);
  LogLimiter::Time now = kStart;
  int64_t written = 0, told = 0;
  const auto tell = [&](LogLimiter::Time at) {
    for (const auto& held : limiter.TakeHeld(at)) told += held.lines;
  };
  for (int i = 0; i < 20000; ++i) {
    now += milliseconds(random() % 40);
    if (random() % 3 == 0) tell(now);
    written +=
        limiter.Take(LogLevel::kInfo, std::string(1, static_cast<char>('a' + random() % 5)), now);
  }
  EXPECT_GT(limiter.held_back(), 0);
  tell(LogLimiter::Time::max());
  EXPECT_EQ(written + told, 20000);
  EXPECT_EQ(limiter.held_back(), told);
}

}  // namespace
}  // namespace posewire::service
