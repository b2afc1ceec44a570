#include "libs/service/http/web_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "libs/service/http/http_host.h"
#include "tests/unit/service/http_client.h"

namespace posewire::service {
namespace {

using ::testing::HasSubstr;

constexpr int kTextOpcode = 1;
constexpr int kBinaryOpcode = 2;
constexpr int kClose = 8;
constexpr int kPingOpcode = 9;
constexpr int kPongOpcode = 10;

// Says every text back, and remembers who is there.
class Echo : public WebSocketEndpoint {
 public:
  void OnOpen(const std::shared_ptr<WebSocket>& socket) override {
    socket->Send("welcome " + std::string(socket->request().Path("name")));
    std::lock_guard<std::mutex> lock(mutex_);
    open_.push_back(socket);
    changed_.notify_all();
  }
  void OnMessage(const std::shared_ptr<WebSocket>& socket, std::string message,
                 bool is_text) override {
    if (message == "end") return socket->Close(1000, "asked");
    if (message == "throw") throw std::runtime_error("no such folder");
    socket->Send((is_text ? "text " : "bytes ") + message);
  }
  void OnClose(const std::shared_ptr<WebSocket>& socket) override {
    std::lock_guard<std::mutex> lock(mutex_);
    std::erase(open_, socket);
    ++closed_;
    changed_.notify_all();
  }
  std::shared_ptr<WebSocket> Opened(size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return open_.size() >= count; });
    return open_.back();
  }
  void WaitForClosed(int count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return closed_ >= count; });
  }
  int closed() {
    std::lock_guard<std::mutex> lock(mutex_);
    return closed_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<WebSocket>> open_;
  int closed_ = 0;
};

class WebSocketTest : public ::testing::Test {
 protected:
  void Start(HttpOptions options = {}) {
    options.listen = "127.0.0.1:0";
    const auto admit = [](const HttpRequest& request) {
      return request.Path("name") == "closed" ? absl::PermissionDeniedError("not for you")
                                              : absl::OkStatus();
    };
    auto host = HttpHost::Start(options, {{"GET", "/events/{name}", nullptr, &echo_, false, admit}},
                                Logger());
    ASSERT_TRUE(host.ok()) << host.status();
    host_ = *std::move(host);
  }

  Echo echo_;
  std::unique_ptr<HttpHost> host_;
};

TEST_F(WebSocketTest, IsNotOpenedForThoseWhoAreNotAdmitted) {
  Start();
  HttpClient client(host_->port());
  EXPECT_EQ(client.OpenWebSocket("/events/closed").status, 403);
}

TEST_F(WebSocketTest, OpensSaysAndHears) {
  Start();
  HttpClient client(host_->port());
  const auto reply = client.OpenWebSocket("/events/a%2Fb");
  ASSERT_EQ(reply.status, 101) << reply.head;
  // The answer to this key that RFC 6455 gives in its section 1.3.
  EXPECT_THAT(reply.head, HasSubstr("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
  EXPECT_EQ(client.ReadFrame().payload, "welcome a/b");
  client.SendFrame(kTextOpcode, "hello");
  client.SendFrame(2, "raw");
  client.SendFrame(kTextOpcode, std::string(100'000, 'x'));
  EXPECT_EQ(client.ReadFrame().payload, "text hello");
  EXPECT_EQ(client.ReadFrame().payload, "bytes raw");
  const std::string large = client.ReadFrame().payload;
  EXPECT_EQ(large.size(), 100'005u);
  EXPECT_EQ(large.substr(0, 6), "text x");
  EXPECT_EQ(large.find_first_not_of('x', 5), std::string::npos);
}

TEST_F(WebSocketTest, EndsWithACodeWhenEitherSideAsks) {
  Start();
  HttpClient client(host_->port());
  client.OpenWebSocket("/events/a");
  EXPECT_EQ(client.ReadFrame().opcode, kTextOpcode);
  client.SendFrame(kTextOpcode, "end");
  const auto frame = client.ReadFrame();
  EXPECT_EQ(frame.opcode, kClose);
  EXPECT_EQ(frame.payload, std::string("\x03\xe8") + "asked");
  client.SendFrame(kClose, std::string("\x03\xe8"));
  client.EndSending();
  echo_.WaitForClosed(1);
  {
    HttpClient gone(host_->port());
    gone.OpenWebSocket("/events/b");
    echo_.Opened(1);
  }
  echo_.WaitForClosed(2);
}

TEST_F(WebSocketTest, EndsWith1011WhenItsEndpointThrows) {
  Start();
  HttpClient client(host_->port());
  client.OpenWebSocket("/events/a");
  HttpClient other(host_->port());
  other.OpenWebSocket("/events/b");
  EXPECT_EQ(client.ReadFrame().opcode, kTextOpcode);
  EXPECT_EQ(other.ReadFrame().opcode, kTextOpcode);
  client.SendFrame(kTextOpcode, "throw");
  const auto frame = client.ReadFrame();
  EXPECT_EQ(frame.opcode, kClose);
  EXPECT_EQ(frame.payload.substr(0, 2), "\x03\xf3");
  EXPECT_THAT(frame.payload, HasSubstr("no such folder"));
  client.SendFrame(kClose, std::string("\x03\xf3"));
  client.EndSending();
  echo_.WaitForClosed(1);
  other.SendFrame(kTextOpcode, "hello");
  EXPECT_EQ(other.ReadFrame().payload, "text hello");
}

TEST_F(WebSocketTest, SendsFromManyThreadsWithoutLoss) {
  Start({.websocket_queue = {.messages = 100000, .bytes = 1 << 30}});
  HttpClient client(host_->port());
  client.OpenWebSocket("/events/a");
  client.ReadFrame();
  const std::shared_ptr<WebSocket> socket = echo_.Opened(1);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i) {
        EXPECT_TRUE(socket->Send(std::to_string(t) + " " + std::to_string(i)));
      }
    });
  }
  std::map<int, int> next;
  for (int i = 0; i < 4000; ++i) {
    int thread = -1;
    int number = -1;
    ASSERT_EQ(std::sscanf(client.ReadFrame().payload.c_str(), "%d %d", &thread, &number), 2);
    ASSERT_EQ(number, next[thread]++);
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(WebSocketTest, SendsBytesBesideTextAndTellsWhatWaits) {
  Start({.websocket_queue = {.messages = 100000, .bytes = 1 << 30}});
  HttpClient client(host_->port(), 4096);
  client.OpenWebSocket("/events/a");
  EXPECT_EQ(client.ReadFrame().opcode, kTextOpcode);
  const std::shared_ptr<WebSocket> socket = echo_.Opened(1);
  const auto bytes = std::make_shared<const std::string>(1'000'000, '\xff');
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(socket->SendBinary(bytes));
  EXPECT_GE(socket->queued_bytes(), 1'000'000u);
  socket->Send("last");
  for (int i = 0; i < 20; ++i) {
    const auto frame = client.ReadFrame();
    ASSERT_EQ(frame.opcode, kBinaryOpcode);
    ASSERT_EQ(frame.payload, *bytes);
  }
  const auto last = client.ReadFrame();
  EXPECT_EQ(last.opcode, kTextOpcode);
  EXPECT_EQ(last.payload, "last");
  client.SendFrame(kTextOpcode, "end");
  EXPECT_EQ(client.ReadFrame().opcode, kClose);
  EXPECT_EQ(socket->queued_bytes(), 0u);
}

TEST_F(WebSocketTest, CutsAClientThatDoesNotRead) {
  Start({.websocket_queue = {.messages = 100000, .bytes = 1 << 20}});
  HttpClient client(host_->port(), 4096);
  client.OpenWebSocket("/events/a");
  const std::shared_ptr<WebSocket> socket = echo_.Opened(1);
  const auto text = std::make_shared<const std::string>(100'000, 'x');
  int taken = 0;
  while (socket->Send(text) && taken < 10'000) ++taken;
  EXPECT_GE(taken, 9);
  EXPECT_LT(taken, 10'000);
  echo_.WaitForClosed(1);
  EXPECT_EQ(host_->slow_websockets(), 1);
  EXPECT_FALSE(socket->Send("late"));
}

TEST_F(WebSocketTest, CutsAtTheCountOfMessages) {
  Start({.websocket_queue = {.messages = 10, .bytes = 1 << 30}});
  HttpClient client(host_->port(), 4096);
  client.OpenWebSocket("/events/a");
  const std::shared_ptr<WebSocket> socket = echo_.Opened(1);
  const auto text = std::make_shared<const std::string>(1'000'000, 'x');
  int taken = 0;
  while (socket->Send(text) && taken < 1000) ++taken;
  EXPECT_LT(taken, 1000);
  echo_.WaitForClosed(1);
}

TEST_F(WebSocketTest, PingsAndCutsAClientThatIsSilent) {
  Start({.websocket_idle_s = 0.4});
  HttpClient silent(host_->port());
  HttpClient answering(host_->port());
  silent.OpenWebSocket("/events/silent");
  answering.OpenWebSocket("/events/answering");
  answering.ReadFrame();
  int pings = 0;
  while (echo_.closed() == 0) {
    const auto frame = answering.ReadFrame();
    ASSERT_EQ(frame.opcode, kPingOpcode);
    answering.SendFrame(kPongOpcode, frame.payload);
    ASSERT_LT(++pings, 100);
  }
  silent.ReadFrame();
  EXPECT_EQ(silent.ReadFrame().opcode, kPingOpcode);
  answering.SendFrame(kTextOpcode, "still here");
  auto frame = answering.ReadFrame();
  while (frame.opcode == kPingOpcode) frame = answering.ReadFrame();
  EXPECT_EQ(frame.payload, "text still here");
}

TEST_F(WebSocketTest, RejectsMessagesOverTheLimitAndBadText) {
  Start({.max_websocket_message_bytes = 1000});
  HttpClient large(host_->port());
  large.OpenWebSocket("/events/a");
  large.ReadFrame();
  large.SendFrame(kTextOpcode, std::string(1001, 'x'));
  EXPECT_EQ(large.ReadFrame().payload.substr(0, 2), "\x03\xf1");  // 1009: too big
  large.EndSending();
  HttpClient bad(host_->port());
  bad.OpenWebSocket("/events/a");
  bad.ReadFrame();
  bad.SendFrame(kTextOpcode, "\xff\xfe");
  EXPECT_EQ(bad.ReadFrame().payload.substr(0, 2), "\x03\xef");  // 1007: no UTF-8
  bad.EndSending();
  echo_.WaitForClosed(2);
}

TEST_F(WebSocketTest, RejectsForeignPagesPlainRequestsAndTooMany) {
  Start({.max_websockets = 1});
  EXPECT_EQ(HttpClient(host_->port()).OpenWebSocket("/events/a", "Origin: http://evil\r\n").status,
            403);
  EXPECT_EQ(HttpClient(host_->port()).Call("GET", "/events/a").status, 426);
  HttpClient first(host_->port());
  EXPECT_EQ(first.OpenWebSocket("/events/a", "Origin: http://127.0.0.1\r\n").status, 101);
  EXPECT_EQ(HttpClient(host_->port()).OpenWebSocket("/events/a").status, 503);
}

TEST_F(WebSocketTest, SaysGoodbyeWhenTheHostDrains) {
  Start();
  HttpClient client(host_->port());
  client.OpenWebSocket("/events/a");
  client.ReadFrame();
  const std::shared_ptr<WebSocket> socket = echo_.Opened(1);
  socket->Send("last words");
  std::thread drain([this] { host_->Drain(10); });
  EXPECT_EQ(client.ReadFrame().payload, "last words");
  const auto frame = client.ReadFrame();
  EXPECT_EQ(frame.opcode, kClose);
  EXPECT_EQ(frame.payload.substr(0, 2), "\x03\xe9");  // 1001: going away
  client.SendFrame(kClose, frame.payload);
  client.EndSending();
  drain.join();
  EXPECT_EQ(echo_.closed(), 1);
  EXPECT_EQ(host_->open_connections(), 0);
  host_.reset();
  EXPECT_FALSE(socket->Send("too late"));
}

TEST_F(WebSocketTest, EndsAtOnceWithTheHost) {
  Start();
  HttpClient client(host_->port());
  client.OpenWebSocket("/events/a");
  const std::shared_ptr<WebSocket> socket = echo_.Opened(1);
  host_.reset();
  EXPECT_EQ(echo_.closed(), 1);
  EXPECT_FALSE(socket->Send("too late"));
}

}  // namespace
}  // namespace posewire::service
