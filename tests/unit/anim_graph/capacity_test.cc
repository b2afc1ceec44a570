#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "services/anim_graph/core/engine_parts.h"

namespace posewire::anim_graph {
namespace {

TEST(Capacity, RefusesWhatIsOverTheLimitAndAsksToComeAgain) {
  Capacity capacity;
  EXPECT_TRUE(capacity.streams.Take(2).ok());
  EXPECT_TRUE(capacity.streams.Take(2).ok());
  const absl::Status full = capacity.streams.Take(2);
  EXPECT_EQ(full, stream::BusyError(
                      "2 streams are open, and no more than that may be; try again in 5 s"));
  EXPECT_EQ(capacity.streams, 2) << "what is refused takes no place";
  capacity.streams.Give();
  EXPECT_TRUE(capacity.streams.Take(2).ok());
  EXPECT_EQ(capacity.avatars, 0) << "each kind is counted by itself";
}

TEST(Capacity, EnginesOfAllThreadsTogetherStayWithinIt) {
  UseCount avatars("avatars are alive");
  std::atomic<int> held{0}, most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        if (!avatars.Take(2).ok()) continue;
        const int now = ++held;
        for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
        }
        --held;
        avatars.Give();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(most, 1);
  EXPECT_LE(most, 2);
  EXPECT_EQ(avatars, 0);
}

}  // namespace
}  // namespace posewire::anim_graph
