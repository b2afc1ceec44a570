#include "libs/service/redis_publisher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace posewire::service {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RedisAddress, TakesTheUsualForms) {
  const auto plain = ParseRedisAddress("127.0.0.1:6380");
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->host, "127.0.0.1");
  EXPECT_EQ(plain->port, 6380);
  EXPECT_EQ(plain->password, "");
  EXPECT_EQ(ParseRedisAddress("redis-server")->host, "redis-server");
  EXPECT_EQ(ParseRedisAddress("redis-server")->port, 6379);
  EXPECT_EQ(ParseRedisAddress("[::1]:1")->host, "::1");
  EXPECT_EQ(ParseRedisAddress("redis://[::1]")->port, 6379);
  const auto full = ParseRedisAddress("redis://ann:p%40%3A@h:7/");
  ASSERT_TRUE(full.ok()) << full.status();
  EXPECT_EQ(full->user, "ann");
  EXPECT_EQ(full->password, "p@:");
  EXPECT_EQ(full->host, "h");
  EXPECT_EQ(full->port, 7);
  EXPECT_EQ(ParseRedisAddress("redis://:secret@h")->user, "");
}

TEST(RedisAddress, SaysWhatIsWrongAndKeepsThePassword) {
  for (const char* text : {"", ":1", "h:0", "h:65536", "h:x", "h:1/2", "[::1", "[::1]x",
                           "rediss://h", "redis://secret@h", "redis://a:secret%@h"}) {
    const absl::Status status = ParseRedisAddress(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("HOST:PORT")) << text;
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret"))) << text;
  }
}

// Nobody listens on the discard port of loopback.
TEST(RedisPublisher, HoldsNobodyUpWithoutAServer) {
  const auto start = std::chrono::steady_clock::now();
  {
    RedisOptions options;
    options.address = *ParseRedisAddress("127.0.0.1:9");
    options.capacity = 10;
    RedisPublisher publisher(options, Logger());
    for (int i = 0; i < 1000; ++i) publisher.Publish("channel", "message");
    EXPECT_GE(publisher.dropped(), 990);
    EXPECT_EQ(publisher.published(), 0);
    EXPECT_FALSE(publisher.connected());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
}

}  // namespace
}  // namespace posewire::service
