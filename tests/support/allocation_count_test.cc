// That the count sees every way to the heap: a blind one would let any test of it pass.
#include "tests/support/allocation_count.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace posewire {
namespace {

struct alignas(64) Line {
  char bytes[64] = {};
};

// What escapes to here may not be optimised away.
const void* volatile escape;

TEST(AllocationCount, SeesScalarsArraysAndAlignedTypes) {
  const AllocationCount allocations;
  const auto one = std::make_unique<int>(1);
  escape = one.get();
  EXPECT_EQ(allocations.count(), 1);
  const std::vector<double> many(10);
  escape = many.data();
  EXPECT_EQ(allocations.count(), 2);
  const std::unique_ptr<char[]> array(new char[100]);
  escape = array.get();
  EXPECT_EQ(allocations.count(), 3);
  const auto line = std::make_unique<Line>();
  escape = line.get();
  EXPECT_EQ(allocations.count(), 4);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(line.get()) % 64, 0u);
  EXPECT_EQ(allocations.bytes(), static_cast<int64_t>(sizeof(int) + 80 + 100 + 64));
}

TEST(AllocationCount, SeesOtherThreads) {
  const AllocationCount allocations;
  std::thread([] {
    const std::vector<char> taken(1 << 20);
    escape = taken.data();
  }).join();
  EXPECT_GE(allocations.bytes(), 1 << 20);
}

TEST(AllocationCount, StartsWithItsConstruction) {
  const std::vector<int> before(10);
  escape = before.data();
  const AllocationCount allocations;
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(allocations.bytes(), 0);
}

}  // namespace
}  // namespace posewire
