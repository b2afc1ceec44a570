#include "services/anim_graph/core/sample_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

namespace posewire::anim_graph {
namespace {

std::vector<int16_t> Front(const SampleQueue& queue, int64_t n) {
  std::vector<int16_t> out(static_cast<size_t>(n), int16_t{-1});
  queue.Read(absl::MakeSpan(out));
  return out;
}

TEST(SampleQueue, IsEmptyAtFirst) {
  const SampleQueue queue;
  EXPECT_EQ(queue.size(), 0);
  EXPECT_EQ(queue.silence(), 0);
  EXPECT_TRUE(queue.sound().empty());
  EXPECT_EQ(queue.bytes(), 0u);
}

TEST(SampleQueue, ASilenceOfYearsTakesAFewBytes) {
  SampleQueue queue;
  constexpr int64_t kYears = int64_t{1} << 50;
  queue.Append({1, 2});
  queue.AppendSilence(kYears);
  queue.Append({3});
  EXPECT_EQ(queue.size(), kYears + 3);
  EXPECT_LT(queue.bytes(), 64u);
  EXPECT_EQ(Front(queue, 4), (std::vector<int16_t>{1, 2, 0, 0}));
  queue.Drop(2);
  EXPECT_EQ(queue.silence(), kYears);
  EXPECT_TRUE(queue.sound().empty());
  queue.Drop(kYears - 1);
  EXPECT_EQ(queue.silence(), 1);
  queue.Drop(1);
  EXPECT_EQ(queue.silence(), 0);
  EXPECT_EQ(queue.sound(), absl::Span<const int16_t>({3}));
}

TEST(SampleQueue, AgreesWithPlainSamples) {
  std::mt19937 rng(1);
  SampleQueue queue;
  std::deque<int16_t> plain;
  for (int step = 0; step < 20000; ++step) {
    const auto n = static_cast<int64_t>(rng() % 50);
    switch (rng() % 3) {
      case 0: {
        std::vector<int16_t> sound;
        for (int64_t i = 0; i < n; ++i) sound.push_back(static_cast<int16_t>(1 + rng() % 999));
        queue.Append(sound);
        plain.insert(plain.end(), sound.begin(), sound.end());
        break;
      }
      case 1:
        queue.AppendSilence(n - 10);
        plain.insert(plain.end(), static_cast<size_t>(std::max<int64_t>(0, n - 10)), int16_t{0});
        break;
      default: {
        const auto less = std::min<int64_t>(2 * n, queue.size());
        queue.Drop(less);
        plain.erase(plain.begin(), plain.begin() + less);
      }
    }
    ASSERT_EQ(queue.size(), static_cast<int64_t>(plain.size()));
    const auto is_sound = [](int16_t sample) { return sample != 0; };
    const auto sound = std::find_if(plain.begin(), plain.end(), is_sound);
    ASSERT_EQ(queue.silence(), sound - plain.begin());
    if (queue.silence() == 0) {
      const auto end = std::find(plain.begin(), plain.end(), int16_t{0});
      const std::vector<int16_t> expected(plain.begin(), end);
      ASSERT_EQ(queue.sound(), absl::MakeConstSpan(expected));
    }
    const auto few = std::min<int64_t>(n, queue.size());
    ASSERT_EQ(Front(queue, few), std::vector<int16_t>(plain.begin(), plain.begin() + few));
    ASSERT_LE(queue.bytes(), 2 * plain.size() + 16 * plain.size());
  }
}

TEST(SampleQueue, DoesNotGrowWithWhatWentThroughIt) {
  SampleQueue queue;
  queue.Reserve(4000, 8);
  for (int i = 0; i < 100000; ++i) {
    queue.AppendSilence(1000);
    queue.Append({1, 2, 3});
    queue.Drop(1003);
    ASSERT_EQ(queue.bytes(), 0u);
  }
}

}  // namespace
}  // namespace posewire::anim_graph
