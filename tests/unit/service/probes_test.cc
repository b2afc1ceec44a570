#include "libs/service/http/probes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/service/http_client.h"

namespace posewire::service {
namespace {

using ::testing::HasSubstr;

std::string Read(std::FILE* file) {
  std::string text(200, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

TEST(StartProbes, ServesNothingWithoutAnAddress) {
  const auto host = StartProbes({.listen = "127.0.0.1:0"}, {}, Logger());
  ASSERT_TRUE(host.ok()) << host.status();
  EXPECT_EQ(*host, nullptr);
}

TEST(StartProbes, SpeaksPlainTextOnAnyNetworkWithoutPermissionOrCertificate) {
  const auto host = StartProbes({.probes = "0.0.0.0:0", .tls = {.certificate = "none.pem"}},
                                {.metrics = [] { return "up 1\n"; }}, Logger());
  ASSERT_TRUE(host.ok()) << host.status();
  EXPECT_THAT((*host)->url(), HasSubstr("http://"));
  const auto call = [&](const std::string& target) {
    HttpClient client((*host)->port());
    client.Send("GET " + target + " HTTP/1.1\r\nHost: node-0.nodes\r\n\r\n");
    return client.ReadReply();
  };
  EXPECT_EQ(call("/healthz").body, R"({"status":"ok"})");
  EXPECT_EQ(call("/readyz").body, R"({"status":"ok"})");
  EXPECT_THAT(call("/metrics").body, HasSubstr("up 1\n"));
  for (const char* other : {"/", "/health", "/liveness", "/streams", "/metrics/x"}) {
    EXPECT_EQ(call(other).status, 404) << other;
  }
}

TEST(StartProbes, ReportsWhyTheProcessIsNotReady) {
  const auto host = StartProbes(
      {.probes = "127.0.0.1:0"},
      {.ready = [] { return absl::UnavailableError("full"); }, .metrics = nullptr}, Logger());
  ASSERT_TRUE(host.ok()) << host.status();
  EXPECT_EQ(HttpClient((*host)->port()).Call("GET", "/healthz", "", "").status, 200);
  const auto ready = HttpClient((*host)->port()).Call("GET", "/readyz", "", "");
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(ready.body, HasSubstr("full"));
}

TEST(ServeProbes, AnnouncesThePortsThatItServes) {
  std::FILE* const ready = std::tmpfile();
  const auto none = ServeProbes({}, Logger(), ready, nullptr);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(Read(ready), "");
  const auto hosts =
      ServeProbes({.listen = "127.0.0.1:0", .probes = "127.0.0.1:0"}, Logger(), ready, nullptr);
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  EXPECT_EQ(Read(ready), absl::StrCat("{\"http_port\": ", hosts->http->port(),
                                      ", \"probes_port\": ", hosts->probes->port(), "}\n"));
  std::fclose(ready);
}

}  // namespace
}  // namespace posewire::service
