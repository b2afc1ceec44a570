#include "libs/stream/request_memory.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace posewire::stream {
namespace {

TEST(RequestMemory, KnowsHowARequestEndedUntilItsTimeIsOver) {
  RequestMemory<Ending> memory(10);
  EXPECT_TRUE(memory.empty());
  memory.Add("a", Ending::kStopped, 100);
  memory.Add("b", Ending::kLost, 105);
  memory.ForgetOld(110);
  ASSERT_NE(memory.Find("a"), nullptr);
  EXPECT_EQ(*memory.Find("a"), Ending::kStopped);
  memory.ForgetOld(110.1);
  EXPECT_EQ(memory.Find("a"), nullptr);
  EXPECT_NE(memory.Find("b"), nullptr);
  EXPECT_EQ(memory.Find("c"), nullptr);
  memory.ForgetOld(116);
  EXPECT_TRUE(memory.empty());
}

TEST(RequestMemory, TheOldestGiveWayToTheNewest) {
  RequestMemory<int> memory(1000, 3);
  for (int i = 0; i < 5; ++i) memory.Add(absl::StrCat("r", i), i, i);
  memory.ForgetOld(5);
  EXPECT_EQ(memory.Find("r1"), nullptr);
  for (int i = 2; i < 5; ++i) EXPECT_EQ(*memory.Find(absl::StrCat("r", i)), i);
}

TEST(RequestMemory, ARequestThatWasMadeAnewIsRememberedOnceFromItsLastEndOn) {
  RequestMemory<int> memory(10, 2);
  memory.Add("a", 1, 100);
  memory.Add("b", 2, 101);
  memory.Add("a", 3, 105);
  memory.ForgetOld(112);
  EXPECT_EQ(memory.Find("b"), nullptr);
  ASSERT_NE(memory.Find("a"), nullptr);
  EXPECT_EQ(*memory.Find("a"), 3);
}

TEST(RequestMemory, OverTheBudgetOfTheProcessTheLastSixteenStay) {
  Budget all({"remembered_requests", "requests are remembered", "--max-remembered"}, 40);
  {
    RequestMemory<int> one(1000, 100, &all), other(1000, 100, &all);
    for (int i = 0; i < 35; ++i) one.Add(absl::StrCat("r", i), i, i);
    EXPECT_EQ(all.used(), 35);
    for (int i = 0; i < 100; ++i) other.Add(absl::StrCat("r", i), i, i);
    EXPECT_NE(other.Find("r84"), nullptr);
    EXPECT_EQ(other.Find("r83"), nullptr);
    EXPECT_NE(one.Find("r0"), nullptr) << "others are not touched";
    one.Add("new", 0, 100);
    EXPECT_EQ(one.Find("r0"), nullptr) << "until they remember more";
    EXPECT_LE(all.used(), 40);
  }
  EXPECT_EQ(all.used(), 0);
}

}  // namespace
}  // namespace posewire::stream
