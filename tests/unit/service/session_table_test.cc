#include "libs/service/access/session_table.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/service/access/token_table.h"

namespace posewire::service {
namespace {

const absl::Time kBegin = absl::UnixEpoch();
const stream::TokenHash kFirst = HashOf("mine"), kSecond = HashOf("other");

TEST(SessionTable, GivesTheTokenOfASessionUntilItsTimeIsOver) {
  SessionTable table({.life = absl::Hours(1)});
  const std::string id = *table.Open(kFirst, kBegin);
  EXPECT_EQ(table.Use(id, kBegin + absl::Minutes(59)), kFirst);
  EXPECT_EQ(table.Use(id, kBegin + absl::Hours(1)), std::nullopt);
  EXPECT_EQ(table.size(), 0u);
}

TEST(SessionTable, KnowsNoOtherIds) {
  SessionTable table;
  const std::string id = *table.Open(kFirst, kBegin);
  EXPECT_EQ(table.Use("", kBegin), std::nullopt);
  EXPECT_EQ(table.Use(id.substr(0, 42), kBegin), std::nullopt);
  EXPECT_EQ(table.Use(id + "A", kBegin), std::nullopt);
  table.Close(id);
  EXPECT_EQ(table.Use(id, kBegin), std::nullopt);
}

TEST(SessionTable, MakesIdsOf256RandomBits) {
  SessionTable table;
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(*table.Open(kFirst, kBegin));
  EXPECT_EQ(ids.size(), 1000u);
  for (const std::string& id : ids) EXPECT_EQ(id.size(), 43u) << id;
}

TEST(SessionTable, EndsTheSessionThatWasUnusedForTheLongestTimeWhenItIsFull) {
  SessionTable table({.most = 3});
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(*table.Open(kFirst, kBegin + absl::Seconds(i)));
  EXPECT_TRUE(table.Use(ids[0], kBegin + absl::Seconds(5)));
  ASSERT_TRUE(table.Open(kSecond, kBegin + absl::Seconds(6)).ok());
  EXPECT_EQ(table.size(), 3u);
  EXPECT_TRUE(table.Use(ids[0], kBegin + absl::Seconds(7)));
  EXPECT_FALSE(table.Use(ids[1], kBegin + absl::Seconds(7)));
  EXPECT_TRUE(table.Use(ids[2], kBegin + absl::Seconds(7)));
}

TEST(SessionTable, DoesNotLetOneTokenEndTheSessionsOfAnother) {
  SessionTable table({.most = 100, .most_of_token = 2});
  const std::string other = *table.Open(kSecond, kBegin);
  for (int i = 1; i < 1000; ++i) ASSERT_TRUE(table.Open(kFirst, kBegin + absl::Seconds(i)).ok());
  EXPECT_EQ(table.size(), 3u);
  EXPECT_EQ(table.Use(other, kBegin + absl::Seconds(1000)), kSecond);
}

TEST(SessionTable, ForgetsThoseWhoseTimeIsOver) {
  SessionTable table({.life = absl::Seconds(10)});
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(table.Open(kFirst, kBegin + absl::Seconds(i)).ok());
  EXPECT_EQ(table.size(), 10u);
}

}  // namespace
}  // namespace posewire::service
