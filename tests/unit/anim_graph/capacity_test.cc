#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "services/anim_graph/core/engine_parts.h"

namespace posewire::anim_graph {
namespace {

TEST(Capacity, RejectsWhatIsOverTheLimitAndAsksToComeAgain) {
  EngineSettings settings;
  settings.max_streams = 2;
  Capacity capacity(settings);
  EXPECT_TRUE(capacity.streams.Take().ok());
  EXPECT_TRUE(capacity.streams.Take().ok());
  const absl::Status full = capacity.streams.Take();
  EXPECT_EQ(full,
            stream::BusyError("2 streams are open, and --max-streams allows 2; try again in 5 s"));
  EXPECT_EQ(capacity.streams.used(), 2) << "what is refused takes no place";
  EXPECT_EQ(capacity.streams.rejections(), 1);
  capacity.streams.Give();
  EXPECT_TRUE(capacity.streams.Take().ok());
  EXPECT_EQ(capacity.avatars.used(), 0) << "each kind is counted by itself";
}

TEST(Capacity, EnginesOfAllThreadsTogetherStayWithinIt) {
  stream::Budget avatars({"avatars", "avatars are alive", "--max-avatars"}, 2);
  std::atomic<int> held{0}, most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        if (!avatars.Take().ok()) continue;
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
  EXPECT_EQ(avatars.used(), 0);
}

}  // namespace
}  // namespace posewire::anim_graph
