#include "libs/http_client/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iterator>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/unit/http_client/script_server.h"

namespace posewire::http_client {
namespace {

using testing::HasSubstr;
using testing::Not;
using Clock = std::chrono::steady_clock;

std::unique_ptr<HttpClient> MakeClient() { return *HttpClient::Create({}); }

std::unique_ptr<HttpCall> Get(HttpClient& client, const std::string& url, HttpLimits limits = {}) {
  auto call = client.Open({.url = url, .limits = limits});
  EXPECT_TRUE(call.ok()) << call.status();
  return *std::move(call);
}

absl::StatusOr<std::string> ReadAll(HttpCall& call, size_t step = 1000) {
  std::string all, buffer(step, ' ');
  while (true) {
    const auto n = call.Read(absl::MakeSpan(buffer.data(), buffer.size()));
    if (!n.ok()) return n.status();
    if (*n == 0) return all;
    all.append(buffer, 0, *n);
  }
}

long CountDescriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

TEST(HttpClient, ReadsTheHeadAndTheBody) {
  ScriptServer server([](ScriptConnection& c) {
    c.ReadRequest();
    c.Send(
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Type: Text/Plain; "
        "charset=utf-8\r\nX-Two:  b \r\nContent-Length: 9\r\n\r\nno such x");
  });
  const auto client = MakeClient();
  const auto call = Get(*client, server.url());
  const auto head = call->ReadHead();
  ASSERT_TRUE(head.ok()) << head.status();
  EXPECT_EQ(head->status, 404);
  EXPECT_EQ(head->content_type, "text/plain");
  EXPECT_EQ(head->Find("x-two"), "b");
  EXPECT_EQ(head->Find("x-three"), "");
  EXPECT_EQ(*ReadAll(*call, 2), "no such x");
  EXPECT_EQ(*ReadAll(*call), "");
}

TEST(HttpClient, SendsTheBodyAndItsHeadersOnly) {
  std::promise<std::string> request;
  ScriptServer server([&](ScriptConnection& c) {
    request.set_value(c.ReadRequest());
    c.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  const auto client = MakeClient();
  const auto call = client->Open({.method = HttpMethod::kPost,
                                  .url = server.url("/v1/a?b=c"),
                                  .headers = {{"Content-Type", "application/json"}, {"X-None", ""}},
                                  .body = "{\"a\":1}"});
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(*ReadAll(**call), "");
  const std::string text = request.get_future().get();
  EXPECT_THAT(text, HasSubstr("POST /v1/a?b=c HTTP/1.1\r\n"));
  EXPECT_THAT(text, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(text, HasSubstr("X-None:\r\n"));
  EXPECT_THAT(text, HasSubstr("User-Agent: posewire/"));
  EXPECT_THAT(text, HasSubstr("\r\n\r\n{\"a\":1}"));
  EXPECT_THAT(text, Not(HasSubstr("Cookie")));
}

TEST(HttpClient, UsesAConnectionAgain) {
  ScriptServer server([](ScriptConnection& c) {
    while (!c.ReadRequest().empty()) c.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  const auto client = MakeClient();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(*ReadAll(*Get(*client, server.url())), "ok");
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpClient, ConnectsAgainAfterAnIdleConnectionWasClosed) {
  ScriptServer server([](ScriptConnection& c) {
    c.ReadRequest();
    c.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  const auto client = MakeClient();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(*ReadAll(*Get(*client, server.url())), "ok");
  EXPECT_EQ(server.connections(), 3);
}

TEST(HttpClient, NamesTheLocationOfARedirectAndDoesNotFollow) {
  ScriptServer server([](ScriptConnection& c) {
    c.ReadRequest();
    c.Send(
        "HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/\x01y\r\nContent-Length: "
        "0\r\n\r\n");
  });
  const auto client = MakeClient();
  const auto call = Get(*client, server.url());
  const absl::Status status = call->ReadHead().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(),
              HasSubstr("redirects (302) to \"http://elsewhere.example/\\001y\""));
  EXPECT_EQ(ReadAll(*call).status(), status);
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpClient, ReturnsThatNothingWasModified) {
  ScriptServer server([](ScriptConnection& c) {
    while (!c.ReadRequest().empty()) c.Send("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n");
  });
  const auto client = MakeClient();
  for (const int redirects : {0, 3, 0}) {
    const auto call = *client->Open({.url = server.url(), .redirects = redirects});
    const auto head = call->ReadHead();
    ASSERT_TRUE(head.ok()) << head.status();
    EXPECT_EQ(head->status, 304);
    EXPECT_EQ(head->Find("etag"), "\"a\"");
    EXPECT_EQ(*ReadAll(*call), "");
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpClient, RejectsEndlessHeaders) {
  ScriptServer server([](ScriptConnection& c) {
    c.ReadRequest();
    std::string head = "HTTP/1.1 200 OK\r\n";
    while (head.size() <= kMostHeaderBytes) head += "X-Filler: " + std::string(990, 'x') + "\r\n";
    c.Send(head);
    c.Hold();
  });
  const auto client = MakeClient();
  const absl::Status status = Get(*client, server.url())->ReadHead().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("more than 65536 bytes of headers"));
}

TEST(HttpClient, ReportsARejectedConnection) {
  std::string url;
  {
    url = ScriptServer([](ScriptConnection&) {}).url("/v1?key=secret");
  }
  const auto client = MakeClient();
  const absl::Status status = Get(*client, url)->ReadHead().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("/v1: the connection was refused; check that"));
  EXPECT_THAT(status.message(), Not(HasSubstr("secret")));
}

TEST(HttpClient, ReportsAConnectionClosedEarlyOrReset) {
  for (const bool reset : {false, true}) {
    for (const absl::string_view sent :
         {"", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nhalf"}) {
      ScriptServer server([&](ScriptConnection& c) {
        c.ReadRequest();
        c.Send(sent);
        if (reset) c.Reset();
      });
      const auto client = MakeClient();
      const absl::Status status = ReadAll(*Get(*client, server.url())).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
      EXPECT_THAT(status.message(), HasSubstr("closed the connection"));
    }
  }
}

TEST(HttpClient, ReportsWhatIsNotHttp) {
  ScriptServer server([](ScriptConnection& c) {
    c.ReadRequest();
    c.Send("220 mail.example ready\r\n");
  });
  const auto client = MakeClient();
  const absl::Status status = Get(*client, server.url())->ReadHead().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("not valid HTTP"));
}

TEST(HttpClient, ReportsTlsWithAServerThatHasNone) {
  ScriptServer server([](ScriptConnection& c) { c.Send("HTTP/1.1 400 Bad Request\r\n\r\n"); });
  const auto client = MakeClient();
  const std::string url = "https" + server.url().substr(4);
  const absl::Status status = Get(*client, url)->ReadHead().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("use http:// if the server has no TLS"));
}

TEST(HttpClient, EachLimitNamesItself) {
  struct Case {
    HttpLimits limits;
    const char* sent;
    const char* message;
  };
  for (const Case& test : {
           Case{{.first_byte_s = 0.1}, "", "the answer did not begin within 0.1 s"},
           Case{{.first_byte_s = 0.1},
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
                "the answer did not begin within 0.1 s"},
           Case{{.first_byte_s = 0.1, .first_bytes = 5},
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
                "the answer did not begin within 0.1 s"},
           Case{{.stall_s = 0.1, .first_bytes = 4},
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
                "the answer stalled for 0.1 s"},
           Case{{.first_byte_s = 0, .whole_s = 0.1}, "", "was not complete within 0.1 s"},
       }) {
    ScriptServer server([&](ScriptConnection& c) {
      c.ReadRequest();
      c.Send(test.sent);
      c.Hold();
    });
    const auto client = MakeClient();
    const absl::Status status = ReadAll(*Get(*client, server.url(), test.limits)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
    EXPECT_THAT(status.message(), HasSubstr(test.message));
  }
}

TEST(HttpClient, LimitsTheConnectionWithItsTlsHandshake) {
  ScriptServer server([](ScriptConnection& c) { c.Hold(); });
  const auto client = MakeClient();
  const std::string url = "https" + server.url().substr(4);
  const absl::Status status = Get(*client, url, {.connect_s = 0.1})->ReadHead().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(status.message(), HasSubstr("no connection to 127.0.0.1 within 0.1 s"));
}

TEST(HttpClient, DoesNotCountThePausesOfItsCaller) {
  std::promise<void> paused;
  ScriptServer server([&](ScriptConnection& c) {
    c.ReadRequest();
    c.Send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
    paused.get_future().wait();
    c.Send("cd");
  });
  const auto client = MakeClient();
  const auto call = Get(*client, server.url(), {.stall_s = 0.5, .whole_s = 0.5});
  std::array<char, 2> two{};
  ASSERT_TRUE(call->Read(absl::MakeSpan(two)).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  paused.set_value();
  EXPECT_EQ(*ReadAll(*call), "cd");
}

TEST(HttpClient, CancelEndsABlockedReadAtOnce) {
  for (const absl::string_view sent :
       {"", "HTTP/1.1 200 OK\r\nX:", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"}) {
    std::promise<void> stalled;
    ScriptServer server([&](ScriptConnection& c) {
      c.ReadRequest();
      c.Send(sent);
      stalled.set_value();
      c.Hold();
    });
    const auto client = MakeClient();
    const auto call = Get(*client, server.url());
    std::future<std::pair<absl::Status, Clock::time_point>> read = std::async(
        std::launch::async, [&] { return std::pair(ReadAll(*call).status(), Clock::now()); });
    stalled.get_future().wait();
    const Clock::time_point asked = Clock::now();
    call->Cancel();
    const auto [status, ended] = read.get();
    EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
    EXPECT_LT(std::chrono::duration<double>(ended - asked).count(), 0.1);
    EXPECT_EQ(call->ReadHead().status().code(), absl::StatusCode::kCancelled);
  }
}

TEST(HttpClient, ACallThatIsDestroyedClosesItsConnection) {
  std::promise<void> begun, gone;
  ScriptServer server([&](ScriptConnection& c) {
    c.ReadRequest();
    c.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    begun.set_value();
    if (c.ReadRequest().empty()) gone.set_value();
  });
  const auto client = MakeClient();
  auto call = Get(*client, server.url());
  ASSERT_TRUE(call->ReadHead().ok());
  begun.get_future().wait();
  call.reset();
  EXPECT_EQ(gone.get_future().wait_for(std::chrono::seconds(5)), std::future_status::ready);
}

TEST(HttpClient, LeavesNoDescriptorOpen) {
  const long before = CountDescriptors();
  {
    const auto client = MakeClient();
    for (int i = 0; i < 20; ++i) {
      ScriptServer server([](ScriptConnection& c) {
        c.ReadRequest();
        c.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
      });
      (void)ReadAll(*Get(*client, server.url()));
    }
    EXPECT_LT(CountDescriptors(), before + 10);
  }
  EXPECT_EQ(CountDescriptors(), before);
}

TEST(HttpClient, AsksNoProxyForLoopback) {
  std::string closed;
  {
    closed = ScriptServer([](ScriptConnection&) {}).url("");
  }
  setenv("http_proxy", closed.c_str(), 1);
  ScriptServer server([](ScriptConnection& c) {
    c.ReadRequest();
    c.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  const auto client = MakeClient();
  EXPECT_EQ(*ReadAll(*Get(*client, server.url())), "ok");
  EXPECT_EQ(Get(*client, "http://voices.invalid/")->ReadHead().status().code(),
            absl::StatusCode::kUnavailable);
  unsetenv("http_proxy");
}

TEST(HttpClient, RejectsRequestsThatCannotBeSent) {
  const auto client = MakeClient();
  const auto rejection = [&](HttpRequest request) {
    const absl::Status status = client->Open(std::move(request)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(rejection({.url = "http://a", .headers = {{"A", "b"}, {"C", "secret\r\nX: y"}}}),
              testing::AllOf(HasSubstr("headers[1]"), Not(HasSubstr("secret"))));
  EXPECT_THAT(rejection({.url = "http://a", .headers = {{"A b", "c"}}}), HasSubstr("headers[0]"));
  EXPECT_THAT(rejection({.url = "http://a", .limits = {.stall_s = -1}}),
              HasSubstr("limits.stall_s is -1, expected 0 to 86400"));
  EXPECT_THAT(rejection({.url = "ftp://a"}), HasSubstr("expected http://HOST"));
}

TEST(HttpClient, RejectsACaFileWithoutACertificate) {
  EXPECT_EQ(HttpClient::Create({.ca_file = "/nothing/here.pem"}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(HttpClient::Create({.ca_file = "/proc/self/limits"}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(HttpClient, ReportsAnUnreadableCaFileOfTheEnvironmentOnlyForHttps) {
  unsetenv("CURL_CA_BUNDLE");
  setenv("SSL_CERT_FILE", "/nothing/second.pem", 1);
  const auto second = MakeClient();
  setenv("CURL_CA_BUNDLE", "/nothing/first.pem", 1);
  const auto first = MakeClient();
  unsetenv("CURL_CA_BUNDLE");
  unsetenv("SSL_CERT_FILE");
  EXPECT_TRUE(first->Open({.url = "http://a"}).ok());
  const absl::Status status = first->Open({.url = "https://a"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("CURL_CA_BUNDLE: /nothing/first.pem"));
  EXPECT_THAT(std::string(second->Open({.url = "https://a"}).status().message()),
              HasSubstr("SSL_CERT_FILE: /nothing/second.pem"));
}

}  // namespace
}  // namespace posewire::http_client
