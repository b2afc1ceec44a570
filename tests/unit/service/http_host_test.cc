#include "libs/service/http/http_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/unit/service/http_client.h"

namespace posewire::service {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// More than the system takes for a client that does not read.
constexpr size_t kLargeBytes = 64 << 20;

class HttpHostTest : public ::testing::Test {
 protected:
  void Start(HttpOptions options = {}) {
    if (options.listen.empty()) options.listen = "127.0.0.1:0";
    auto host = HttpHost::Start(
        options,
        {{"GET", "/throw",
          [](const HttpRequest& request, const HttpReplier& reply) {
            // The reply is moved away, and what is thrown comes after it.
            const HttpReplier held = reply;
            if (request.HasQuery("memory")) throw std::bad_alloc();
            if (request.HasQuery("number")) throw 5;
            throw std::runtime_error("no such folder");
          }},
         {"GET", "/hello", Fixed("text/plain", "hello")},
         {"PUT", "/streams/{stream_id}/variables/{name}", AtOnce([](const HttpRequest& request) {
            return HttpReply{.body = absl::StrCat(QuoteText(request.Path("stream_id")), " ",
                                                  QuoteText(request.Path("name")), " ",
                                                  request.body.size(), " ", request.Query("wait"),
                                                  " ", request.Header("content-type"))};
          })},
         {"DELETE", "/streams/{stream_id}",
          AtOnce([](const HttpRequest& request) -> absl::StatusOr<HttpReply> {
            return absl::NotFoundError(absl::StrCat("no stream ", request.Path("stream_id")));
          })},
         {"GET", "/large", Fixed("text/plain", std::string(kLargeBytes, 'x'))},
         {"GET", "/probe", Fixed("text/plain", "well"), nullptr, /*when_full=*/true},
         {"GET", "/later",
          [this](const HttpRequest&, const HttpReplier& reply) { later_.set_value(reply); }},
         {"GET", "/closed", Fixed("text/plain", "open"), nullptr, false,
          [](const HttpRequest& request) {
            return request.Header("x-key") == "right" ? absl::OkStatus()
                                                      : absl::UnauthenticatedError("no key");
          }}},
        Logger("test", {}, log_));
    ASSERT_TRUE(host.ok()) << host.status();
    host_ = *std::move(host);
  }
  // Sends on and on, `most_bytes` at most, until the server closes; then reads its reply.
  HttpClient::Reply Flood(const std::string& head, const std::string& more, size_t most_bytes) {
    HttpClient client(host_->port());
    client.Send(head);
    for (size_t sent = 0; sent < most_bytes; sent += more.size()) client.Send(more);
    return client.ReadReply();
  }
  HttpClient::Reply Call(const std::string& method, const std::string& target,
                         const std::string& headers = "", const std::string& body = "") {
    return HttpClient(host_->port()).Call(method, target, headers, body);
  }

  std::ostringstream log_;
  std::promise<HttpReplier> later_;
  std::unique_ptr<HttpHost> host_;
};

TEST_F(HttpHostTest, AnswersOnOneConnectionAgainAndAgain) {
  Start();
  HttpClient client(host_->port());
  for (int i = 0; i < 3; ++i) {
    const auto reply = client.Call("GET", "/hello");
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "hello");
    EXPECT_THAT(reply.head, HasSubstr("Content-Type: text/plain\r\n"));
    EXPECT_THAT(reply.head, HasSubstr("X-Content-Type-Options: nosniff"));
  }
}

TEST_F(HttpHostTest, CallsTheHandlerOfAGuardedRouteOnlyForThoseItAdmits) {
  Start();
  const auto rejected = Call("GET", "/closed");
  EXPECT_EQ(rejected.status, 401);
  EXPECT_EQ(rejected.body, R"({"error": "no key"})");
  EXPECT_THAT(rejected.head, HasSubstr("WWW-Authenticate: Bearer"));
  EXPECT_EQ(Call("GET", "/closed", "X-Key: right\r\n").body, "open");
}

TEST_F(HttpHostTest, AnswersPipelinedRequestsInOrder) {
  Start();
  HttpClient client(host_->port());
  client.Send(
      "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"
      "GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.ReadReply().status, 200);
  EXPECT_EQ(client.ReadReply().status, 404);
}

TEST_F(HttpHostTest, TakesAnyTextAsAnIdAndAnyBody) {
  Start();
  EXPECT_EQ(Call("PUT", "/streams/..%2Fx/variables/a%20b?wait=1").body, "\"../x\" \"a b\" 0 1 ");
  EXPECT_EQ(Call("PUT", "/streams/../variables/%252F", "Content-Type: text/odd\r\n", "{]\x01").body,
            "\"..\" \"%2F\" 3  text/odd");
  EXPECT_EQ(Call("PUT", "/streams/%zz/variables/a").status, 400);
}

TEST_F(HttpHostTest, TakesAChunkedBodyAndOneThatIsAskedFor) {
  Start();
  HttpClient client(host_->port());
  client.Send(
      "PUT /streams/a/variables/b HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(client.ReadReply().body, "\"a\" \"b\" 5  ");
  client.Send(
      "PUT /streams/a/variables/b HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
      "Content-Length: 4\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("100 Continue"));
  client.Send("1234");
  EXPECT_EQ(client.ReadReply().body, "\"a\" \"b\" 4  ");
}

// RFC 9112. Each is answered and then closed.
TEST_F(HttpHostTest, RejectsWhatAProxyMightTakeForAnotherRequest) {
  Start();
  const std::string get = "GET /hello HTTP/1.1\r\nHost: localhost\r\n";
  const std::string put = "PUT /streams/a/variables/b HTTP/1.1\r\nHost: localhost\r\n";
  const std::pair<std::string, int> requests[] = {
      {get + "\r\n", 200},
      {"GET http://127.0.0.1/hello HTTP/1.1\r\nHost: localhost\r\n\r\n", 200},
      {"GET /hello HTTP/1.0\r\n\r\n", 200},
      {get + "Host: localhost\r\n\r\n", 400},
      {"GET /hello HTTP/1.1\r\n\r\n", 400},
      {"GET /hello HTTP/1.1\r\nHost : localhost\r\n\r\n", 400},
      {"GET http://evil.example/hello HTTP/1.1\r\nHost: localhost\r\n\r\n", 403},
      {put + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
      {put + "Transfer-Encoding: gzip\r\n\r\n", 501},
      {put + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400},
      {put + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {put + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400},
      {put + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx", 400},
      {put + "Content-Length: +1\r\n\r\nx", 400},
      {put + "Transfer-Encoding: chunked\r\n\r\n10000000000000001\r\n", 400},
      {put + "Transfer-Encoding: chunked\r\n\r\n-1\r\n", 400},
      {get + "A: b\rX: c\r\n\r\n", 400},
      {"GET /hello HTTP/1.1\nHost: localhost\n\n", 400},
      {"PUT /streams/a/variables/b HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
  };
  for (const auto& [request, status] : requests) {
    HttpClient client(host_->port());
    client.Send(request);
    EXPECT_EQ(client.ReadReply().status, status) << request;
  }
}

TEST_F(HttpHostTest, ATrailerAddsNothingToTheHead) {
  Start();
  HttpClient client(host_->port());
  client.Send(
      "PUT /streams/a/variables/b HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
      "1\r\nx\r\n0\r\nOrigin: http://evil.example\r\nContent-Type: text/odd\r\n\r\n");
  EXPECT_EQ(client.ReadReply().body, "\"a\" \"b\" 1  ");
}

TEST_F(HttpHostTest, SaysErrorsAsJson) {
  Start();
  const auto missing = Call("DELETE", "/streams/s1");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.body, "{\"error\": \"no stream s1\"}");
  EXPECT_THAT(missing.head, HasSubstr("application/json"));
  const auto nowhere = Call("GET", "/secret");
  EXPECT_EQ(nowhere.status, 404);
  EXPECT_THAT(nowhere.body, Not(HasSubstr("streams")));
  const auto method = Call("POST", "/hello");
  EXPECT_EQ(method.status, 405);
  EXPECT_THAT(method.head, HasSubstr("Allow: GET, HEAD, OPTIONS\r\n"));
}

TEST_F(HttpHostTest, AnswersHeadAndOptions) {
  Start();
  HttpClient client(host_->port());
  const auto head = client.Call("HEAD", "/hello");
  EXPECT_EQ(head.status, 200);
  EXPECT_THAT(head.head, HasSubstr("Content-Length: 5\r\n"));
  const auto options = client.Call("OPTIONS", "/hello");
  EXPECT_EQ(options.status, 204);
  EXPECT_THAT(options.head, HasSubstr("Allow: GET, HEAD, OPTIONS\r\n"));
  EXPECT_THAT(options.head, Not(HasSubstr("Access-Control")));
  EXPECT_EQ(client.Call("OPTIONS", "*").status, 204);
}

TEST_F(HttpHostTest, RejectsWhatIsTooLarge) {
  Start({.max_body_bytes = 1024});
  EXPECT_EQ(Call("PUT", "/streams/a/variables/b", "", std::string(1024, 'x')).status, 200);
  EXPECT_EQ(Call("PUT", "/streams/a/variables/b", "", std::string(1025, 'x')).status, 413);
  EXPECT_EQ(Call("GET", "/hello", "X: " + std::string(20000, 'x') + "\r\n").status, 431);
  HttpClient chunked(host_->port());
  chunked.Send(
      "PUT /streams/a/variables/b HTTP/1.1\r\nHost: localhost\r\n"
      "Transfer-Encoding: chunked\r\n\r\n800\r\n" +
      std::string(2048, 'x') + "\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.ReadReply().status, 413);
}

// The sizes sent are within what is read away after the reply, so that the reply arrives.
TEST_F(HttpHostTest, HoldsNoMoreOfAChunkExtensionOrATrailerThanOfAHeader) {
  Start();
  const std::string head =
      "PUT /streams/a/variables/b HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
      "chunked\r\n\r\n";
  const std::string block(1 << 16, 'x');
  EXPECT_EQ(Flood(head + "3;", block, 8 << 20).status, 431);
  EXPECT_EQ(Flood(head + "3\r\nabc\r\n0;", block, 8 << 20).status, 431);
  EXPECT_EQ(Flood(head + "0\r\nX: ", block, 8 << 20).status, 431);
  EXPECT_EQ(Flood(head + "0\r\n", "X: y\r\n", 64 << 10).status, 431);
  const auto small = Flood(head + "3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n", "", 0);
  EXPECT_EQ(small.body, "\"a\" \"b\" 3  ");
}

TEST_F(HttpHostTest, AnswersWhatAHandlerThrewWith500AndLivesOn) {
  Start();
  HttpClient client(host_->port());
  const auto error = client.Call("GET", "/throw");
  EXPECT_EQ(error.status, 500);
  EXPECT_THAT(error.body, HasSubstr("no such folder"));
  EXPECT_EQ(client.Call("GET", "/throw?memory").status, 500);
  EXPECT_EQ(client.Call("GET", "/throw?number").status, 500);
  EXPECT_EQ(client.Call("GET", "/hello").status, 200);
  host_.reset();
  EXPECT_THAT(log_.str(), HasSubstr("http handler: std::runtime_error: no such folder"));
  EXPECT_THAT(log_.str(), HasSubstr("there is not enough memory"));
  EXPECT_THAT(log_.str(), HasSubstr("http handler: int was thrown"));
}

TEST_F(HttpHostTest, ClosesOnWhatIsNoHttp) {
  Start();
  for (const char* bytes :
       {"\x16\x03\x01\x02\x00 hello\r\n\r\n", "GET\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 2x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}) {
    HttpClient client(host_->port());
    client.Send(bytes);
    EXPECT_EQ(client.ReadReply().status, 400) << bytes;
    EXPECT_TRUE(client.IsClosed());
  }
  EXPECT_EQ(Call("GET", "/hello").status, 200);
}

TEST_F(HttpHostTest, ClosesHalfOpenConnections) {
  Start({.transfer_timeout_s = 0.2});
  HttpClient silent(host_->port());
  HttpClient half(host_->port());
  half.Send("GET /hello HTTP/1.1\r\nHost: lo");
  EXPECT_TRUE(silent.IsClosed());
  EXPECT_TRUE(half.IsClosed());
}

TEST_F(HttpHostTest, AReplyTakesAsLongAsItIsTaken) {
  Start({.transfer_timeout_s = 0.5});
  HttpClient slow(host_->port());
  slow.Send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(slow.ReadUntil("\r\n\r\n"), HasSubstr("200 OK"));
  size_t size = 0;
  for (int i = 0; i < 32; ++i) {
    size += slow.ReadSize(kLargeBytes / 32).size();
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
  }
  EXPECT_EQ(size, kLargeBytes);
  EXPECT_EQ(slow.Call("GET", "/hello").status, 200);
}

TEST_F(HttpHostTest, ClosesOnAClientThatTakesNothingOfItsReply) {
  Start({.transfer_timeout_s = 0.2});
  HttpClient deaf(host_->port());
  deaf.Send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (host_->open_connections() == 0) std::this_thread::yield();
  while (host_->open_connections() > 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(host_->open_connections(), 0);
}

TEST_F(HttpHostTest, GivesThePlaceOfAClientThatIsSlowToTakeToANewConnection) {
  Start({.max_connections = 1, .transfer_timeout_s = 0.2});
  HttpClient slow(host_->port());
  slow.Send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  size_t size = 0;
  int status = 503;
  for (int i = 0; i < 10'000 && status == 503; ++i) {
    size += slow.ReadSize(1000).size();
    status = Call("GET", "/hello").status;
  }
  EXPECT_EQ(status, 200);
  EXPECT_EQ(size % 1000, 0u);  // it went well until then
  EXPECT_LT(size + slow.ReadUntil("").size(), kLargeBytes);
}

TEST(HttpBody, IsSharedByTheRepliesOfAFixedHandler) {
  const HttpHandler handler = Fixed("text/plain", std::string(1000, 'x'));
  std::vector<HttpReply> replies;
  for (int i = 0; i < 2; ++i) {
    handler({}, HttpReplier([&](HttpReply reply) { replies.push_back(std::move(reply)); }));
  }
  EXPECT_EQ(&replies.at(0).body.bytes(), &replies.at(1).body.bytes());
}

TEST_F(HttpHostTest, AnswersProbesAndNothingElseWhenAllAreAtWork) {
  Start({.max_connections = 1});
  HttpClient first(host_->port());
  first.Send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const HttpReplier reply = later_.get_future().get();
  // More of them than there are places for probes.
  std::vector<std::unique_ptr<HttpClient>> idle;
  for (int i = 0; i < 20; ++i) {
    idle.push_back(std::make_unique<HttpClient>(host_->port()));
    const auto probed = Call("GET", "/probe");
    EXPECT_EQ(probed.status, 200);
    EXPECT_THAT(probed.head, HasSubstr("Connection: close"));
  }
  for (const char* path : {"/hello", "/none", "/later"}) {
    const auto rejected = Call("GET", path);
    EXPECT_EQ(rejected.status, 503) << path;
    EXPECT_THAT(rejected.head, HasSubstr("Retry-After: 1"));
    EXPECT_THAT(rejected.body, HasSubstr("there are 1 connections already"));
  }
  reply({.status = 202});
  EXPECT_EQ(first.ReadReply().status, 202);
  EXPECT_EQ(first.Call("GET", "/hello").status, 200);
}

TEST_F(HttpHostTest, TurnsConnectionsAwayWhenAllAreAtWork) {
  Start({.max_connections = 1});
  HttpClient first(host_->port());
  first.Send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const HttpReplier reply = later_.get_future().get();
  HttpClient second(host_->port());
  EXPECT_EQ(second.Call("GET", "/hello").status, 503);
  EXPECT_TRUE(second.IsClosed());
  reply({.status = 202});
  EXPECT_EQ(first.ReadReply().status, 202);
  EXPECT_EQ(first.Call("GET", "/hello").status, 200);
}

TEST_F(HttpHostTest, GivesTheLongestWaitsPlaceToANewConnection) {
  Start({.threads = 1, .max_connections = 4});
  HttpClient half(host_->port());
  half.Send("GET /hel");
  HttpClient working(host_->port());
  working.Send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const HttpReplier reply = later_.get_future().get();
  HttpClient first(host_->port());
  EXPECT_EQ(first.Call("GET", "/hello").status, 200);
  HttpClient second(host_->port());
  EXPECT_EQ(second.Call("GET", "/hello").status, 200);
  EXPECT_EQ(first.Call("GET", "/hello").status, 200);  // Its wait is the shorter one now.

  HttpClient third(host_->port());
  EXPECT_EQ(third.Call("GET", "/hello").status, 200);
  EXPECT_TRUE(second.IsClosed());
  EXPECT_EQ(first.Call("GET", "/hello").status, 200);
  half.Send("lo HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(half.ReadReply().status, 200);
  reply({.status = 202});
  EXPECT_EQ(working.ReadReply().status, 202);
}

TEST_F(HttpHostTest, GivesThePlaceOfAHalfRequestToANewConnectionWhenNoneIsIdle) {
  Start({.max_connections = 1});
  HttpClient half(host_->port());
  half.Send("GET /hello HTTP/1.1\r\nHost: lo");
  HttpClient probe(host_->port());
  EXPECT_EQ(probe.Call("GET", "/hello").status, 200);
  EXPECT_TRUE(half.IsClosed());
}

TEST_F(HttpHostTest, TakesAReplyFromAnotherThreadAndOnlyOnce) {
  Start();
  HttpClient client(host_->port());
  std::thread answer([this] {
    const HttpReplier reply = later_.get_future().get();
    reply({.status = 202, .body = "[]"});
    reply({.status = 500});
  });
  const auto reply = client.Call("GET", "/later");
  answer.join();
  EXPECT_EQ(reply.status, 202);
  EXPECT_EQ(client.Call("GET", "/hello").status, 200);
}

TEST_F(HttpHostTest, SaysWhenAHandlerDoesNotAnswer) {
  Start({.handler_timeout_s = 0.1});
  HttpClient client(host_->port());
  EXPECT_EQ(client.Call("GET", "/later").status, 504);
  later_.get_future().get()({.status = 200});
  EXPECT_EQ(client.Call("GET", "/hello").body, "hello");
}

TEST_F(HttpHostTest, SaysWhenAHandlerForgetsToAnswer) {
  Start();
  HttpClient client(host_->port());
  client.Send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  later_.get_future().wait();
  later_ = {};  // With the only replier in it.
  EXPECT_EQ(client.ReadReply().status, 500);
  EXPECT_EQ(client.Call("GET", "/hello").status, 200);
}

TEST_F(HttpHostTest, TakesAReplyAfterItsEnd) {
  Start();
  HttpClient client(host_->port());
  client.Send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const HttpReplier reply = later_.get_future().get();
  host_.reset();
  reply({.status = 200});
  EXPECT_TRUE(client.IsClosed());
}

TEST_F(HttpHostTest, KeepsForeignPagesAway) {
  Start({.allowed_origins = {"https://studio.example"}});
  const std::string put = "/streams/a/variables/b";
  const std::string own = absl::StrCat("Origin: http://127.0.0.1:", host_->port(), "\r\n");
  EXPECT_EQ(Call("PUT", put, "Origin: http://evil.example\r\n").status, 403);
  EXPECT_EQ(Call("PUT", put, own).status, 403);  // The client's Host has no port.
  EXPECT_EQ(Call("PUT", put, "Origin: http://127.0.0.1\r\n").status, 200);
  const auto allowed = Call("PUT", put, "Origin: https://studio.example\r\n");
  EXPECT_EQ(allowed.status, 200);
  EXPECT_THAT(allowed.head, HasSubstr("Access-Control-Allow-Origin: https://studio.example\r\n"));
  const auto read = Call("GET", "/hello", "Origin: http://evil.example\r\n");
  EXPECT_EQ(read.status, 200);
  EXPECT_THAT(read.head, Not(HasSubstr("Access-Control")));
  const auto preflight = Call("OPTIONS", put,
                              "Origin: https://studio.example\r\n"
                              "Access-Control-Request-Headers: x-stream-id\r\n");
  EXPECT_THAT(preflight.head, HasSubstr("Access-Control-Allow-Methods: OPTIONS, PUT\r\n"));
  EXPECT_THAT(preflight.head, HasSubstr("Access-Control-Allow-Headers: x-stream-id\r\n"));
  EXPECT_THAT(Call("PUT", put, "Origin: http://evil.example\r\n").body,
              HasSubstr("\\\"http://evil.example\\\" may not call this server; to let them, start "
                        "the server with --http-allow-origin"));
}

TEST_F(HttpHostTest, AnswersToNoForeignNameOnAnyAddress) {
  for (const char* listen : {"127.0.0.1:0", "0.0.0.0:0"}) {
    Start({.listen = listen, .allow_plaintext = true, .allowed_hosts = {"anim_graph"}});
    const auto by = [this](const std::string& host) {
      HttpClient client(host_->port());
      client.Send("GET /hello HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
      return client.ReadReply();
    };
    EXPECT_EQ(by("anim_graph:8020").status, 200);
    EXPECT_EQ(by("192.0.2.7:8020").status, 200);
    EXPECT_EQ(by("localhost").status, 200);
    const auto rebound = by("evil.example:8020");
    EXPECT_EQ(rebound.status, 403);
    EXPECT_THAT(rebound.body,
                HasSubstr("the Host \\\"evil.example:8020\\\" is no name of this server"));
    EXPECT_THAT(rebound.body, HasSubstr("start the server with --http-allow-host"));
    host_.reset();
  }
}

TEST_F(HttpHostTest, LetsOpenRequestsEndWhenItDrains) {
  Start();
  HttpClient idle(host_->port());
  EXPECT_EQ(idle.Call("GET", "/hello").status, 200);
  HttpClient busy(host_->port());
  busy.Send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const HttpReplier reply = later_.get_future().get();
  std::thread drain([this] { host_->Drain(10); });
  EXPECT_TRUE(idle.IsClosed());
  reply({.body = "[1]"});
  const auto answer = busy.ReadReply();
  EXPECT_EQ(answer.body, "[1]");
  EXPECT_THAT(answer.head, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(busy.IsClosed());
  busy.EndSending();
  drain.join();
  EXPECT_EQ(host_->open_connections(), 0);
  EXPECT_FALSE(HttpClient(host_->port()).connected());
}

TEST_F(HttpHostTest, CutsWhatIsLeftWhenTheDrainIsOver) {
  Start();
  HttpClient busy(host_->port());
  busy.Send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const HttpReplier reply = later_.get_future().get();
  host_->Drain(0.05);
  EXPECT_TRUE(busy.IsClosed());
}

TEST(HttpHost, SaysWhyItCannotStart) {
  const auto code = [](HttpOptions options) {
    return HttpHost::Start(options, {}, Logger()).status().code();
  };
  EXPECT_EQ(code({.listen = ""}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code({.listen = "unix:/tmp/x.sock"}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code({.listen = "0.0.0.0:0"}), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code({.listen = "0.0.0.0:0", .allow_plaintext = true}), absl::StatusCode::kOk);
  EXPECT_EQ(code({.listen = "192.0.2.1:0", .allow_plaintext = true}),
            absl::StatusCode::kUnavailable);
  auto host = HttpHost::Start({.listen = "localhost:0"}, {}, Logger());
  ASSERT_TRUE(host.ok()) << host.status();
  EXPECT_GT((*host)->port(), 0);
  EXPECT_EQ(code({.listen = absl::StrCat("127.0.0.1:", (*host)->port())}),
            absl::StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace posewire::service
