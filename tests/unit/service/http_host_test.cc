#include "libs/service/http_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/unit/service/http_client.h"

namespace posewire::service {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class HttpHostTest : public ::testing::Test {
 protected:
  void Start(HttpOptions options = {}) {
    options.listen = "127.0.0.1:0";
    auto host = HttpHost::Start(
        options,
        {{"GET", "/hello", Fixed("text/plain", "hello")},
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
         {"GET", "/later",
          [this](const HttpRequest&, const HttpReplier& reply) { later_.set_value(reply); }}},
        Logger());
    ASSERT_TRUE(host.ok()) << host.status();
    host_ = *std::move(host);
  }
  HttpClient::Reply Call(const std::string& method, const std::string& target,
                         const std::string& headers = "", const std::string& body = "") {
    return HttpClient(host_->port()).Call(method, target, headers, body);
  }

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

TEST_F(HttpHostTest, RefusesWhatIsTooLarge) {
  Start({.max_body_bytes = 1024});
  EXPECT_EQ(Call("PUT", "/streams/a/variables/b", "", std::string(1024, 'x')).status, 200);
  EXPECT_EQ(Call("PUT", "/streams/a/variables/b", "", std::string(1025, 'x')).status, 413);
  EXPECT_EQ(Call("GET", "/hello", "X: " + std::string(20000, 'x') + "\r\n").status, 431);
  HttpClient chunked(host_->port());
  chunked.Send("PUT /streams/a/variables/b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n" +
               std::string(2048, 'x') + "\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.ReadReply().status, 413);
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

TEST_F(HttpHostTest, TurnsConnectionsAwayOverTheLimit) {
  Start({.max_connections = 1});
  HttpClient first(host_->port());
  EXPECT_EQ(first.Call("GET", "/hello").status, 200);
  HttpClient second(host_->port());
  EXPECT_EQ(second.ReadReply().status, 503);
  EXPECT_EQ(first.Call("GET", "/hello").status, 200);
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
  HttpClient rebound(host_->port());
  rebound.Send("GET /hello HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(rebound.ReadReply().status, 403);
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
