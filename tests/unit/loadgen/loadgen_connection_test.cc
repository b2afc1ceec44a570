#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "tools/loadgen/h2/connection.h"
#include "tools/loadgen/h2/poller.h"

namespace posewire::loadgen {
namespace {

// Sends back what comes. A call of /refuse ends at once with an error.
class Echo final : public grpc::CallbackGenericService {
  class Reactor final : public grpc::ServerGenericBidiReactor {
   public:
    explicit Reactor(bool reject) {
      if (reject) {
        Finish({grpc::StatusCode::INVALID_ARGUMENT, "not this"});
      } else {
        StartRead(&message_);
      }
    }

   private:
    void OnReadDone(bool ok) override {
      if (ok) {
        StartWrite(&message_);
      } else {
        Finish(grpc::Status::OK);
      }
    }
    void OnWriteDone(bool ok) override {
      if (ok) StartRead(&message_);
    }
    void OnDone() override { delete this; }
    grpc::ByteBuffer message_;
  };
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new Reactor(context->method() == "/refuse");
  }
};

class Listener final : public H2Call {
 public:
  const std::vector<std::string>& heard() const { return heard_; }

 private:
  void OnMessage(absl::Span<const uint8_t> message, double wall_s) override {
    EXPECT_GT(wall_s, 1.6e9);
    heard_.emplace_back(message.begin(), message.end());
  }
  std::vector<std::string> heard_;
};

class ConnectionTest : public testing::Test {
 protected:
  void Serve(const std::string& address) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port_);
    builder.RegisterCallbackGenericService(echoes_.emplace_back(std::make_unique<Echo>()).get());
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
  }
  void ConnectTo(const std::string& address) {
    auto opened = Connection::Open(address);
    ASSERT_TRUE(opened.ok()) << opened.status();
    connection_ = *std::move(opened);
    poller_.Add(connection_.get());
  }
  void SetUp() override {
    Serve("127.0.0.1:0");
    ConnectTo("127.0.0.1:" + std::to_string(port_));
  }
  template <typename Done>
  bool RunUntil(const Done& done) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done() && std::chrono::steady_clock::now() < until) {
      poller_.RunUntil(std::chrono::steady_clock::now() + std::chrono::milliseconds(2));
    }
    return done();
  }

  std::vector<std::unique_ptr<Echo>> echoes_;  // one a server
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  Listener calls_[5];
  std::unique_ptr<Connection> connection_;
  Poller poller_;
};

TEST_F(ConnectionTest, CarriesMessagesOfManyCallsWholeAndInOrder) {
  std::mt19937 rng(5);
  std::vector<std::string> said[5];
  for (size_t c = 0; c < 5; ++c) connection_->Start("/echo", {{"x-some", "thing"}}, &calls_[c]);
  for (int i = 0; i < 40; ++i) {
    for (size_t c = 0; c < 5; ++c) {
      // Some fill many frames, and all together more than a window.
      const size_t size = rng() % 4 == 0 ? rng() % 100000 : rng() % 20;
      said[c].push_back(std::string(size, static_cast<char>('a' + rng() % 26)));
      connection_->Send(&calls_[c], Frame(said[c].back()), i == 39);
    }
    poller_.Flush(connection_.get());
  }
  EXPECT_TRUE(RunUntil([&] {
    for (const Listener& call : calls_) {
      if (!call.over()) return false;
    }
    return true;
  }));
  for (size_t c = 0; c < 5; ++c) {
    EXPECT_EQ(calls_[c].heard(), said[c]);
    EXPECT_EQ(calls_[c].end(), "grpc-status 0");
  }
}

TEST_F(ConnectionTest, IsSettledOnceTheServerHasAnswered) {
  EXPECT_FALSE(connection_->settled());
  EXPECT_TRUE(RunUntil([&] { return connection_->settled(); }));
  EXPECT_FALSE(connection_->broken());
}

TEST_F(ConnectionTest, SaysHowACallEnded) {
  connection_->Start("/refuse", {}, &calls_[0]);
  poller_.Flush(connection_.get());
  EXPECT_TRUE(RunUntil([&] { return calls_[0].over(); }));
  EXPECT_EQ(calls_[0].end(), "grpc-status 3, grpc-message not this");
  connection_->Send(&calls_[0], Frame("too late"));
}

TEST_F(ConnectionTest, EndsCallsThatAreCancelled) {
  connection_->Start("/echo", {}, &calls_[0]);
  connection_->Start("/echo", {}, &calls_[1]);
  connection_->Send(&calls_[1], Frame("heard"));
  connection_->Cancel(&calls_[0]);
  poller_.Flush(connection_.get());
  EXPECT_TRUE(RunUntil([&] { return calls_[0].over() && !calls_[1].heard().empty(); }));
  EXPECT_FALSE(calls_[1].over());
}

TEST_F(ConnectionTest, EndsAllCallsWhenTheServerGoes) {
  connection_->Start("/echo", {}, &calls_[0]);
  connection_->Send(&calls_[0], Frame("heard"));
  poller_.Flush(connection_.get());
  ASSERT_TRUE(RunUntil([&] { return !calls_[0].heard().empty(); }));
  server_->Shutdown(std::chrono::system_clock::now());
  EXPECT_TRUE(RunUntil([&] { return calls_[0].over(); }));
  connection_->Start("/echo", {}, &calls_[1]);
  EXPECT_TRUE(RunUntil([&] { return connection_->broken() || calls_[1].over(); }));
}

TEST_F(ConnectionTest, ReachesUnixSockets) {
  const std::string path = testing::TempDir() + "loadgen-" + std::to_string(getpid()) + ".sock";
  server_->Shutdown(std::chrono::system_clock::now());
  Serve("unix:" + path);
  const std::unique_ptr<Connection> first = std::move(connection_);
  ConnectTo("unix:" + path);
  connection_->Start("/echo", {}, &calls_[0]);
  connection_->Send(&calls_[0], Frame("by path"), true);
  poller_.Flush(connection_.get());
  EXPECT_TRUE(RunUntil([&] { return calls_[0].over(); }));
  EXPECT_EQ(calls_[0].heard(), std::vector<std::string>{"by path"});
}

TEST(Connection, SaysWhenNobodyListensAndWhatIsNoAddress) {
  EXPECT_EQ(Connection::Open("unix:/nowhere/at.all").status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(Connection::Open("unix:").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Connection::Open("localhost").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace posewire::loadgen
