#include "libs/service/http/http_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_format.h"
#include "libs/service/http/http_guard.h"
#include "libs/service/http/http_router.h"

namespace posewire::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(HttpTarget, SplitsBeforeItDecodesAndDecodesOnce) {
  auto target = ParseHttpTarget("/streams/..%2Fx/requests/%252F/%E2%82%AC");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_THAT(target->segments, ElementsAre("streams", "../x", "requests", "%2F", "\xE2\x82\xAC"));
}

TEST(HttpTarget, KeepsDotsAndEmptySegmentsAsTheyAre) {
  EXPECT_THAT(ParseHttpTarget("/a/../b//")->segments, ElementsAre("a", "..", "b", "", ""));
  EXPECT_THAT(ParseHttpTarget("/")->segments, ElementsAre(""));
}

TEST(HttpTarget, ReadsTheQuery) {
  auto target = ParseHttpTarget("/a?x=1+2&y&z=%26%3D=&&x=3");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_THAT(target->query,
              ElementsAre(Pair("x", "1 2"), Pair("y", ""), Pair("z", "&=="), Pair("x", "3")));
}

TEST(HttpTarget, TakesTheAbsoluteForm) {
  EXPECT_THAT(ParseHttpTarget("http://h:1/a/b?c=d")->segments, ElementsAre("a", "b"));
  EXPECT_THAT(ParseHttpTarget("http://h:1")->segments, ElementsAre(""));
  EXPECT_THAT(ParseHttpTarget("http://h:1?c=d")->query, ElementsAre(Pair("c", "d")));
  EXPECT_THAT(ParseHttpTarget("/to/http://x")->segments, ElementsAre("to", "http:", "", "x"));
}

TEST(HttpTarget, RejectsWhatIsNoPathAndSaysWhy) {
  for (const char* text : {"", "a", "*", "a/b", "/%", "/%2", "/%zz", "/a?b=%"}) {
    EXPECT_EQ(ParseHttpTarget(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_THAT(std::string(ParseHttpTarget("/a%zb").status().message()), HasSubstr("byte 1"));
}

TEST(HttpTarget, RandomTextSurvivesEncodingAndDecoding) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 20, 'x');
    for (char& c : text) c = static_cast<char>(random() % 256);
    std::string encoded;
    for (const char c : text) absl::StrAppendFormat(&encoded, "%%%02X", c & 0xff);
    EXPECT_EQ(*PercentDecode(encoded), text);
    EXPECT_THAT(ParseHttpTarget("/a/" + encoded)->segments, ElementsAre("a", text));
  }
}

TEST(HttpReply, MapsEveryCode) {
  using Code = absl::StatusCode;
  const std::pair<Code, int> kExpected[] = {{Code::kOk, 200},
                                            {Code::kInvalidArgument, 400},
                                            {Code::kOutOfRange, 400},
                                            {Code::kUnauthenticated, 401},
                                            {Code::kPermissionDenied, 403},
                                            {Code::kNotFound, 404},
                                            {Code::kAlreadyExists, 409},
                                            {Code::kAborted, 409},
                                            {Code::kFailedPrecondition, 409},
                                            {Code::kResourceExhausted, 429},
                                            {Code::kInternal, 500},
                                            {Code::kUnknown, 500},
                                            {Code::kDataLoss, 500},
                                            {Code::kCancelled, 500},
                                            {Code::kUnimplemented, 501},
                                            {Code::kUnavailable, 503},
                                            {Code::kDeadlineExceeded, 504}};
  for (const auto& [code, status] : kExpected) EXPECT_EQ(HttpStatusOf(code), status);
}

TEST(HttpReply, QuotesTheMessageOfAnError) {
  const HttpReply reply = HttpReply::Error(absl::NotFoundError("no \"x\"\n"));
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.content_type, "application/json");
  EXPECT_EQ(reply.body.bytes(), "{\"error\": \"no \\\"x\\\"\\n\"}");
}

HttpRoute Route(std::string method, std::string pattern) {
  return {std::move(method), std::move(pattern), Fixed("text/plain", ""), nullptr};
}

TEST(HttpRouter, FindsByMethodAndPattern) {
  auto router = HttpRouter::Make({Route("GET", "/streams"), Route("POST", "/streams/{id}"),
                                  Route("GET", "/streams/{id}"), Route("GET", "/streams/all"),
                                  Route("PUT", "/{kind}/all")});
  ASSERT_TRUE(router.ok()) << router.status();
  const auto find = [&](const char* method, std::vector<std::string> segments) {
    const HttpRouter::Match match = router->Find(method, segments);
    return match.route == nullptr ? "none" : match.route->pattern;
  };
  EXPECT_EQ(find("GET", {"streams"}), "/streams");
  EXPECT_EQ(find("GET", {"streams", "../x"}), "/streams/{id}");
  EXPECT_EQ(find("GET", {"streams", "all"}), "/streams/all");
  EXPECT_EQ(find("POST", {"streams", "all"}), "/streams/{id}");
  EXPECT_EQ(find("PUT", {"streams", "all"}), "/{kind}/all");
  EXPECT_EQ(find("HEAD", {"streams", "all"}), "/streams/all");
  EXPECT_EQ(find("GET", {"streams", ""}), "none");
  EXPECT_EQ(find("GET", {"streams", "a", "b"}), "none");
  EXPECT_EQ(find("DELETE", {"streams"}), "none");
  EXPECT_THAT(router->Find("GET", {"streams", "a/b"}).path, ElementsAre(Pair("id", "a/b")));
  EXPECT_THAT(router->Find("DELETE", {"streams", "a"}).allowed,
              ElementsAre("GET", "HEAD", "OPTIONS", "POST"));
  EXPECT_TRUE(router->Find("GET", {"nothing"}).allowed.empty());
}

TEST(HttpRouter, RejectsRoutesThatCannotBe) {
  EXPECT_FALSE(HttpRouter::Make({Route("GET", "streams")}).ok());
  EXPECT_FALSE(HttpRouter::Make({Route("", "/streams")}).ok());
  EXPECT_FALSE(HttpRouter::Make({Route("GET", "/{a")}).ok());
  EXPECT_FALSE(HttpRouter::Make({Route("GET", "/{}")}).ok());
  EXPECT_FALSE(HttpRouter::Make({Route("GET", "/{a}/{a}")}).ok());
  EXPECT_FALSE(HttpRouter::Make({Route("GET", "/{a}"), Route("GET", "/{b}")}).ok());
  EXPECT_FALSE(HttpRouter::Make({{"GET", "/a", nullptr, nullptr}}).ok());
  EXPECT_TRUE(HttpRouter::Make({Route("GET", "/{a}"), Route("PUT", "/{b}")}).ok());
}

TEST(HttpReplier, TakesTheFirstReplyAndOwesOneAtItsEnd) {
  std::vector<int> sent;
  {
    HttpReplier reply([&](const HttpReply& r) { sent.push_back(r.status); });
    const HttpReplier copy = reply;
    copy({.status = 201});
    reply({.status = 202});
  }
  {
    HttpReplier forgotten([&](const HttpReply& r) { sent.push_back(r.status); });
  }
  EXPECT_THAT(sent, ElementsAre(201, 500));
}

TEST(HttpGuard, LetsOnlyOurOwnHostsIn) {
  const HttpGuard guard{.own_host = "Stage",
                        .allowed_hosts = {"anim_graph"},
                        .allowed_origins = {"https://studio.example:8443"}};
  for (const char* host : {"", "127.0.0.1", "127.0.0.1:8020", "10.1.2.3:80", "localhost:1",
                           "LOCALHOST", "[::1]:8020", "[2001:db8::1]", "studio.example:8443",
                           "studio.example", "stage:8020", "anim_graph:8020", "Anim_Graph."}) {
    EXPECT_TRUE(guard.HostIsOurs(host)) << host;
  }
  for (const char* host :
       {"evil.example", "evil.example:8020", "127.0.0.1.evil.example", "localhost.evil.example",
        "[::1", "1.2.3", "stage.evil.example", "anim_graph.evil.example:8020"}) {
    EXPECT_FALSE(guard.HostIsOurs(host)) << host;
  }
  EXPECT_TRUE(HttpGuard({.allowed_hosts = {"*"}}).HostIsOurs("any.example"));
}

TEST(HttpGuard, KnowsWhatAHostNameIs) {
  for (const char* text : {"*", "anim_graph", "a.example", "a-1", "10.0.0.1"}) {
    EXPECT_TRUE(IsHostName(text)) << text;
  }
  for (const char* text : {"", "http://a", "a:8020", "a/b", "*.example", "a b"}) {
    EXPECT_FALSE(IsHostName(text)) << text;
  }
}

TEST(HttpGuard, KnowsPagesOfItsOwnAndAllowedOnes) {
  const HttpGuard guard{.allowed_origins = {"https://studio.example"}};
  EXPECT_TRUE(guard.MayCall("", "127.0.0.1:8020"));
  EXPECT_TRUE(guard.MayCall("http://127.0.0.1:8020", "127.0.0.1:8020"));
  EXPECT_TRUE(guard.MayCall("http://LocalHost", "localhost:80"));
  EXPECT_TRUE(guard.MayCall("https://studio.example", "127.0.0.1:8020"));
  EXPECT_FALSE(guard.MayCall("http://studio.example", "127.0.0.1:8020"));
  EXPECT_FALSE(guard.MayCall("https://studio.example.evil", "127.0.0.1:8020"));
  EXPECT_FALSE(guard.MayCall("http://127.0.0.1:9999", "127.0.0.1:8020"));
  EXPECT_FALSE(guard.MayCall("null", "127.0.0.1:8020"));
  EXPECT_FALSE(guard.MayCall("null", ""));
  EXPECT_TRUE(HttpGuard({.allowed_origins = {"*"}}).MayCall("null", "x"));
}

TEST(HttpGuard, KnowsWhatAnOriginIs) {
  for (const char* text : {"*", "http://a", "https://a.example:8443", "http://[::1]:80"}) {
    EXPECT_TRUE(IsOrigin(text)) << text;
  }
  for (const char* text :
       {"", "a.example", "http://", "https://a/b", "ftp://a", "http://a,http://b", "http://*"}) {
    EXPECT_FALSE(IsOrigin(text)) << text;
  }
}

}  // namespace
}  // namespace posewire::service
