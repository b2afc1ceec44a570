#include <gtest/gtest.h>

#include "libs/stream/trace.h"

namespace posewire::stream {
namespace {

constexpr char kGood[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::string Of(std::optional<std::string> sent) {
  return TraceparentOf([&](absl::string_view key) -> std::optional<std::string> {
    return key == "traceparent" ? sent : std::nullopt;
  });
}

TEST(TraceTest, AGivenTraceIsReturned) {
  EXPECT_TRUE(CheckTraceparent(kGood).ok());
  EXPECT_EQ(Of(kGood), kGood);
  EXPECT_EQ(TraceIdOf(kGood), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(TraceIdOf(""), "");
  EXPECT_EQ(Of(std::nullopt), "");
}

// https://www.w3.org/TR/trace-context/#versioning-of-traceparent
TEST(TraceTest, ALaterVersionMayHaveMoreBehind) {
  const std::string later = "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  EXPECT_EQ(Of(later), later);
  EXPECT_EQ(Of(later + "-what-the-future-holds"), later + "-what-the-future-holds");
  EXPECT_EQ(Of(later + ".no"), "");
  EXPECT_EQ(Of(later + "-" + std::string(300, 'a')), "");
  EXPECT_EQ(Of(later + "-a b"), "");
}

TEST(TraceTest, AnInvalidTraceIsIgnored) {
  for (const char* bad : {"", "00", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                          "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                          "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                          "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                          "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                          "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
                          "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
                          "0 -4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}) {
    EXPECT_EQ(Of(bad), "") << bad;
    const absl::Status why = CheckTraceparent(bad);
    EXPECT_TRUE(absl::IsInvalidArgument(why)) << bad;
    EXPECT_NE(why.message().find("lower-case hexadecimal"), absl::string_view::npos);
  }
}

}  // namespace
}  // namespace posewire::stream
