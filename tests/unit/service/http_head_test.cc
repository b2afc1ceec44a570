#include "libs/service/http/http_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace posewire::service {
namespace {

int Rejected(int minor_version, const HttpFields& headers) {
  const auto reply = RejectHead(minor_version, headers);
  return reply ? reply->status : 0;
}

TEST(RejectHead, WantsOneHostThatIsHostAndPort) {
  EXPECT_EQ(Rejected(1, {{"host", "localhost:8020"}}), 0);
  EXPECT_EQ(Rejected(1, {{"host", "[::1]:80"}}), 0);
  EXPECT_EQ(Rejected(1, {{"host", ""}}), 0);
  EXPECT_EQ(Rejected(1, {}), 400);
  EXPECT_EQ(Rejected(0, {}), 0);
  for (const int minor : {0, 1}) {
    EXPECT_EQ(Rejected(minor, {{"host", "localhost"}, {"host", "localhost"}}), 400);
    EXPECT_EQ(Rejected(minor, {{"host", "a b"}}), 400);
    EXPECT_EQ(Rejected(minor, {{"host", "localhost/x"}}), 400);
    EXPECT_EQ(Rejected(minor, {{"host", "evil@localhost"}}), 400);
  }
}

TEST(RejectHead, WantsOneLength) {
  const std::pair<std::string, std::string> host{"host", "a"}, five{"content-length", "5"};
  const std::pair<std::string, std::string> chunked{"transfer-encoding", "Chunked"};
  EXPECT_EQ(Rejected(1, {host, five}), 0);
  EXPECT_EQ(Rejected(1, {host, chunked}), 0);
  EXPECT_EQ(Rejected(1, {host, five, five}), 400);
  EXPECT_EQ(Rejected(1, {host, {"content-length", "5, 5"}}), 400);
  EXPECT_EQ(Rejected(1, {host, five, chunked}), 400);
  EXPECT_EQ(Rejected(0, {host, chunked}), 400);
}

TEST(RejectHead, KnowsChunkedAlone) {
  const auto with = [](const char* one, const char* two) {
    HttpFields headers = {{"host", "a"}, {"transfer-encoding", one}};
    if (two != nullptr) headers.emplace_back("transfer-encoding", two);
    return Rejected(1, headers);
  };
  EXPECT_EQ(with("gzip", nullptr), 501);
  EXPECT_EQ(with("gzip, chunked", nullptr), 501);
  EXPECT_EQ(with("gzip", "chunked"), 501);
  EXPECT_EQ(with("xchunked", nullptr), 501);
  EXPECT_EQ(with("chunked;a=b", nullptr), 501);
  EXPECT_EQ(with("", nullptr), 400);
  EXPECT_EQ(with("chunked, chunked", nullptr), 400);
  EXPECT_EQ(with("chunked", "chunked"), 400);
}

TEST(TargetAuthority, IsThatOfAnAbsoluteFormAlone) {
  EXPECT_EQ(TargetAuthority("http://a.example:80/b?c"), "a.example:80");
  EXPECT_EQ(TargetAuthority("https://a.example"), "a.example");
  EXPECT_EQ(TargetAuthority("http://a.example?c"), "a.example");
  EXPECT_EQ(TargetAuthority("/to/http://a.example"), "");
  EXPECT_EQ(TargetAuthority("*"), "");
  EXPECT_EQ(TargetAuthority("http:///a"), "");
}

}  // namespace
}  // namespace posewire::service
