// The scheduler's grid and the live source's clock.
#include <gtest/gtest.h>

#include <random>

#include "services/anim_graph/core/live_clock.h"
#include "services/anim_graph/core/slot_clock.h"

namespace posewire::anim_graph {
namespace {

TEST(SlotClock, SixteenSlotsAreAFrameForDays) {
  for (const timecode::FrameRate fps :
       {timecode::FrameRate{30, 1}, {30000, 1001}, {24, 1}, {120, 1}}) {
    const SlotClock slots(123456789, fps);
    for (int64_t k : {0LL, 1LL, 1000LL, 10'000'000LL}) {
      const double want = 123456789e-9 + fps.SecondsAt(k);
      EXPECT_NEAR(static_cast<double>(slots.TimeOf(16 * k)) * 1e-9, want, 1e-8 * (1 + want * 1e-6));
    }
  }
}

TEST(SlotClock, FindsTheSlotsAroundAMoment) {
  const SlotClock slots(0, {30000, 1001});
  std::mt19937_64 rng(5);
  for (int i = 0; i < 10000; ++i) {
    const auto ns = static_cast<int64_t>(rng() % 4'000'000'000'000);
    const int64_t s = slots.AtOrBefore(ns);
    EXPECT_LE(slots.TimeOf(s), ns);
    EXPECT_GT(slots.TimeOf(s + 1), ns);
    EXPECT_GE(slots.TimeOf(slots.AtOrAfter(ns)), ns);
  }
}

TEST(LiveClock, FollowsTheSmallestDelayByAMillisecondASecond) {
  LiveClock clock;
  clock.Arrived(10.05, 0);
  clock.StartRunning(10.05);
  EXPECT_DOUBLE_EQ(clock.offset_s(), 10.05);
  double last = clock.CodeAt(10.05);
  for (double t = 10.06; t < 20; t += 0.03) {
    clock.Arrived(t, t - 10.0);  // an honest delay of nothing
    const double code = clock.CodeAt(t);
    EXPECT_GE(code, last);
    last = code;
  }
  EXPECT_NEAR(clock.offset_s(), 10.05 - 0.00994, 1e-4);
}

TEST(LiveClock, JumpsOverAGapInTheCodesAndFollowsWhatIsLess) {
  LiveClock clock;
  clock.Arrived(0, 0);
  clock.StartRunning(0);
  clock.Arrived(1, 1.9);
  EXPECT_NEAR(clock.CodeAt(1), 1, 0.002);
  clock.Arrived(2, 300);
  EXPECT_DOUBLE_EQ(clock.CodeAt(2), 300);
}

TEST(LiveClock, ForgetsDelaysAfterTenSeconds) {
  LiveClock clock;
  clock.Arrived(0, 0);
  clock.StartRunning(0);
  // The source's clock runs slow by 50 parts in a million: the offset grows with it.
  for (double t = 0.1; t < 400; t += 0.1) {
    clock.Arrived(t, t * (1 - 50e-6));
    clock.CodeAt(t);
  }
  EXPECT_NEAR(clock.offset_s(), 400 * 50e-6, 0.001);
}

}  // namespace
}  // namespace posewire::anim_graph
