#include "tools/loadgen/process_stats.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <vector>

namespace posewire::loadgen {
namespace {

TEST(ProcessStats, CountCpuAndMemoryOfAProcess) {
  const auto before = ReadProcessStats(getpid());
  ASSERT_TRUE(before.ok()) << before.status();
  constexpr size_t kBytes = size_t{32} << 20;
  const std::vector<char> memory(kBytes, 1);
  const std::clock_t until = std::clock() + CLOCKS_PER_SEC / 20;
  while (std::clock() < until) {
  }
  const auto after = ReadProcessStats(getpid());
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_GE(after->cpu_s - before->cpu_s, 0.049);
  EXPECT_GE(after->resident_bytes - before->resident_bytes, static_cast<int64_t>(kBytes) * 9 / 10);
  EXPECT_EQ(memory.back(), 1);
}

TEST(ProcessStats, SayWhenThereIsNoProcess) {
  EXPECT_EQ(ReadProcessStats(0x3ffffffe).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace posewire::loadgen
