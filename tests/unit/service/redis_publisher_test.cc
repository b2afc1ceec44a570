#include "libs/service/redis/redis_publisher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

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
  EXPECT_EQ(full->database, 0);
  EXPECT_EQ(ParseRedisAddress("h:7/3")->database, 3);
  EXPECT_EQ(ParseRedisAddress("redis://:secret@h")->user, "");
}

TEST(RedisAddress, SaysWhatIsWrongAndKeepsThePassword) {
  for (const char* text : {"", ":1", "h:0", "h:65536", "h:x", "h:1/x", "[::1", "[::1]x",
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
    EXPECT_FALSE(publisher.connected());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
}

// Binds a port of loopback, and listens when told to.
class LatePort {
 public:
  LatePort() {
    socket_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~LatePort() { close(socket_); }
  int port() const { return port_; }
  // Waits for one who connects and asks, and answers as Redis does to PING.
  bool ListensAndIsGreeted() {
    EXPECT_EQ(listen(socket_, 1), 0);
    pollfd polled{socket_, POLLIN, 0};
    if (poll(&polled, 1, 20000) != 1) return false;
    const int connection = accept(socket_, nullptr, nullptr);
    char command[256];
    const bool asked = recv(connection, command, sizeof(command), 0) > 0 &&
                       send(connection, "+PONG\r\n", 7, MSG_NOSIGNAL) == 7;
    // Until the other side has gone, so that it is connected as long as it likes.
    thread_ = std::thread([connection] {
      char rest[256];
      while (recv(connection, rest, sizeof(rest), 0) > 0) {
      }
      close(connection);
    });
    return asked;
  }
  void Join() { thread_.join(); }

 private:
  int socket_ = -1, port_ = 0;
  std::thread thread_;
};

TEST(RedisPublisher, ComesBackByItselfAndSaysWhatWasNotPublished) {
  LatePort server;
  std::ostringstream text;
  {
    RedisOptions options;
    options.address.host = "127.0.0.1";
    options.address.port = server.port();
    options.keep_s = 0.05;
    options.first_pause_s = 0.01;
    options.longest_pause_s = 0.05;
    RedisPublisher publisher(options, Logger("x", {}, text));
    publisher.Publish("channel", "{\"request_id\": \"r1\"}");
    while (publisher.dropped() == 0) std::this_thread::yield();
    // Nothing waits now, and still it connects.
    ASSERT_TRUE(server.ListensAndIsGreeted());
    while (!publisher.connected()) std::this_thread::yield();
  }
  server.Join();
  EXPECT_THAT(text.str(), HasSubstr("warning x: event not published why=\"redis was away for 0.05 "
                                    "s\" channel=\"channel\" event=\"{\\\"request_id\\\": "
                                    "\\\"r1\\\"}\"\n"));
  EXPECT_THAT(text.str(), HasSubstr("redis connected"));
}

// Takes one connection, and answers the first command with `answer`, over and over.
class Babbler {
 public:
  Babbler(std::string answer, bool again) : answer_(std::move(answer)), again_(again) {
    listening_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(listening_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listening_, 1), 0);
    EXPECT_EQ(getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Run(); });
  }
  ~Babbler() {
    shutdown(listening_, SHUT_RDWR);
    thread_.join();
    close(listening_);
  }
  int port() const { return port_; }
  void WaitUntilAsked() { asked_.get_future().wait(); }

 private:
  void Run() {
    const int connection = accept(listening_, nullptr, nullptr);
    if (connection < 0) return;
    char command[256];
    if (recv(connection, command, sizeof(command), 0) > 0) {
      asked_.set_value();
      while (send(connection, answer_.data(), answer_.size(), MSG_NOSIGNAL) > 0 && again_) {
      }
      // Until the other side has gone.
      while (recv(connection, command, sizeof(command), 0) > 0) {
      }
    }
    close(connection);
  }

  const std::string answer_;
  const bool again_;
  int listening_ = -1, port_ = 0;
  std::promise<void> asked_;
  std::thread thread_;
};

TEST(RedisPublisher, GivesUpAServerThatAnswersWithoutEndOrWithAHugeList) {
  for (const auto& [answer, again] :
       {std::pair(std::string(4096, '+'), true), std::pair(std::string("$999999999\r\nabc"), true),
        std::pair(std::string("*1000000\r\n"), false), std::pair(std::string("\0\1\2", 3), true)}) {
    Babbler server(answer, again);
    const auto start = std::chrono::steady_clock::now();
    {
      RedisOptions options;
      options.address.host = "127.0.0.1";
      options.address.port = server.port();
      options.timeout_s = 20;
      options.keep_s = 0;
      RedisPublisher publisher(options, Logger());
      publisher.Publish("channel", "message");
      server.WaitUntilAsked();
      EXPECT_FALSE(publisher.connected());
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)) << answer;
  }
}

}  // namespace
}  // namespace posewire::service
