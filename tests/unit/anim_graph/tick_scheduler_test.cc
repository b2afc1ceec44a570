#include "services/anim_graph/core/tick_scheduler.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <stdexcept>

namespace posewire::anim_graph {
namespace {

constexpr int64_t kStart_ns = 5'000'000'000;
constexpr timecode::FrameRate kFps{25, 1};  // a frame takes 40 ms, a slot 2.5 ms
constexpr int64_t kSlot_ns = 2'500'000, kFrame_ns = 16 * kSlot_ns;

struct Ticking {
  std::vector<int64_t> ticks;
};

class TickSchedulerTest : public ::testing::Test {
 protected:
  void Advance(int64_t ns) {
    scheduler.Advance(ns, [&](int64_t slot, const auto& members, int64_t late_ns, bool late) {
      EXPECT_EQ(late_ns, ns - (kStart_ns + slot * kSlot_ns)) << slot;
      late_slots += late;
      for (const auto& member : members) {
        if (const int64_t k = member.TickOn(slot); k >= 0) member.of->ticks.push_back(k);
      }
    });
  }

  TickScheduler<Ticking> scheduler{kStart_ns, kFps, 1};
  Ticking a, b;
  int late_slots = 0;
};

TEST_F(TickSchedulerTest, AMemberTicksFromItsFirstSlotOnOnceAFrame) {
  EXPECT_EQ(scheduler.Add(&a, kStart_ns + kSlot_ns + 1), kStart_ns + 2 * kSlot_ns);
  Advance(kStart_ns + 2 * kSlot_ns - 1);
  EXPECT_TRUE(a.ticks.empty());
  EXPECT_EQ(scheduler.NextWake(), kStart_ns + 2 * kSlot_ns);
  for (int64_t k = 0; k < 3; ++k) Advance(scheduler.NextWake());
  EXPECT_EQ(a.ticks, (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(scheduler.NextWake(), kStart_ns + 2 * kSlot_ns + 3 * kFrame_ns);
  EXPECT_EQ(late_slots, 0);
}

TEST_F(TickSchedulerTest, WithoutMembersItWakesAFrameLater) {
  Advance(kStart_ns);
  EXPECT_EQ(scheduler.NextWake(), kStart_ns + kFrame_ns);
  scheduler.Add(&a, kStart_ns + 1);
  EXPECT_EQ(scheduler.NextWake(), kStart_ns + kSlot_ns);
  scheduler.Remove(&a);
  EXPECT_EQ(scheduler.NextWake(), kStart_ns + kFrame_ns);
}

TEST_F(TickSchedulerTest, WhoComesAtOnceIsSpreadOverTheSlots) {
  std::vector<Ticking> many(48);
  std::map<int64_t, int> on_slot;
  for (Ticking& one : many) ++on_slot[scheduler.Add(&one, kStart_ns) % kFrame_ns];
  EXPECT_EQ(on_slot.size(), 16u);
  for (const auto& [slot, count] : on_slot) EXPECT_LE(count, 4) << slot;
}

TEST_F(TickSchedulerTest, ALateSlotIsMadeUpForAndOlderOnesAreLeftOut) {
  scheduler.Add(&a, kStart_ns);
  scheduler.Add(&b, kStart_ns + kSlot_ns);
  Advance(kStart_ns);
  // Three frames late, and b by two slots less: of each member the newest tick only.
  Advance(kStart_ns + 3 * kFrame_ns + 2 * kSlot_ns);
  EXPECT_EQ(a.ticks, (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(b.ticks, (std::vector<int64_t>{3}));
  EXPECT_EQ(late_slots, 1) << "that of a";
}

TEST_F(TickSchedulerTest, SecondsStandStillOverAHoleAndOverNothingShorter) {
  Advance(kStart_ns);
  const double before_s = scheduler.Seconds(kStart_ns);
  int64_t ns = kStart_ns + 900'000'000;
  Advance(ns);
  EXPECT_NEAR(scheduler.Seconds(ns), before_s + 0.9, 1e-9);
  ns += 100'000'000'000;
  Advance(ns);
  EXPECT_NEAR(scheduler.Seconds(ns), before_s + 0.9 + kSlot_ns * 1e-9, 1e-9);
}

TEST_F(TickSchedulerTest, WhatThrewIsVisitedAgain) {
  scheduler.Add(&a, kStart_ns);
  const auto fail = [](int64_t, const auto&, int64_t, bool) {
    throw std::runtime_error("bad tick");
  };
  EXPECT_THROW(scheduler.Advance(kStart_ns, fail), std::runtime_error);
  Advance(kStart_ns);
  EXPECT_EQ(a.ticks, (std::vector<int64_t>{0}));
}

// Against what each member may expect by itself, whoever else comes and goes.
TEST_F(TickSchedulerTest, EverybodyTicksInOrderAndNoTickIsLateByAFrame) {
  struct Member {
    Ticking ticking;
    int64_t first_ns = 0;
    size_t seen = 0;
  };
  std::mt19937 rng(7);
  std::vector<std::unique_ptr<Member>> members;
  int64_t ns = kStart_ns;
  for (int step = 0; step < 20'000; ++step) {
    if (rng() % 8 == 0 && members.size() < 60) {
      members.push_back(std::make_unique<Member>());
      members.back()->first_ns = scheduler.Add(&members.back()->ticking, ns);
      ASSERT_GE(members.back()->first_ns, ns);
      ASSERT_LT(members.back()->first_ns, ns + 2 * kFrame_ns);
    } else if (rng() % 9 == 0 && !members.empty()) {
      const auto gone = members.begin() + static_cast<ptrdiff_t>(rng() % members.size());
      scheduler.Remove(&(*gone)->ticking);
      members.erase(gone);
    }
    ns += static_cast<int64_t>(rng() % (step % 100 == 0 ? 10 * kFrame_ns : 2 * kSlot_ns));
    Advance(ns);
    for (const auto& member : members) {
      const auto& ticks = member->ticking.ticks;
      const int64_t due = ns < member->first_ns ? -1 : (ns - member->first_ns) / kFrame_ns;
      ASSERT_EQ(ticks.empty() ? -1 : ticks.back(), due);
      ASSERT_LE(ticks.size() - member->seen, 1u) << "no burst, however late";
      member->seen = ticks.size();
    }
  }
}

}  // namespace
}  // namespace posewire::anim_graph
