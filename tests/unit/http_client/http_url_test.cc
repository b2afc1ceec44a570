#include "libs/http_client/http_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace posewire::http_client {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ParseHttpUrl, NormalizesAndHidesTheQuery) {
  const auto url = ParseHttpUrl("HTTP://Voices.example:8880/v1/audio?token=abc#part");
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_EQ(url->text, "http://Voices.example:8880/v1/audio?token=abc");
  EXPECT_EQ(url->shown, "http://Voices.example:8880/v1/audio");
  EXPECT_EQ(url->host, "Voices.example");
  EXPECT_FALSE(url->is_https);
  EXPECT_FALSE(url->is_loopback);
}

TEST(ParseHttpUrl, KnowsLoopbackHosts) {
  for (const char* url : {"http://localhost", "http://LOCALHOST:1/", "http://127.0.0.1",
                          "http://127.9", "http://[::1]:80/x"}) {
    ASSERT_TRUE(ParseHttpUrl(url).ok()) << url;
    EXPECT_TRUE(ParseHttpUrl(url)->is_loopback) << url;
  }
  for (const char* url : {"http://localhost.example", "http://128.0.0.1", "http://10.0.0.1",
                          "http://[::2]", "http://127.0.0.1.example", "http://[fe80::1]"}) {
    ASSERT_TRUE(ParseHttpUrl(url).ok()) << url;
    EXPECT_FALSE(ParseHttpUrl(url)->is_loopback) << url;
  }
}

TEST(ParseHttpUrl, RejectsOtherSchemesAndBrokenUrls) {
  for (const char* url : {"", "voices.example", "ftp://a", "file:///etc/passwd", "http://",
                          "http://a b/", "http://a:99999/", "gopher://a", "http://a/\r\nX: y"}) {
    const auto parsed = ParseHttpUrl(url);
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument) << url;
    EXPECT_THAT(parsed.status().message(), HasSubstr("expected http://HOST")) << url;
  }
}

TEST(ParseHttpUrl, RejectsAUserAndDoesNotRepeatThePassword) {
  for (const char* url : {"http://me:secret@a/", "http://me@a", "http://me:secret@a b/"}) {
    const auto parsed = ParseHttpUrl(url);
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument) << url;
    EXPECT_THAT(parsed.status().message(), Not(HasSubstr("secret")));
  }
}

TEST(EscapeSegment, LeavesNothingThatWouldEndTheSegment) {
  EXPECT_EQ(EscapeSegment("af_heart-1.0~x"), "af_heart-1.0~x");
  EXPECT_EQ(EscapeSegment("a/b?c#d e\xc3\xa9%"), "a%2Fb%3Fc%23d%20e%C3%A9%25");
}

}  // namespace
}  // namespace posewire::http_client
