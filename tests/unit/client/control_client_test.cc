#include "libs/client/control_client.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "gtest/gtest.h"
#include "posewire.control.v1.grpc.pb.h"

namespace posewire::client {
namespace {

namespace cv1 = posewire::control::v1;
using ::testing::Contains;
using ::testing::ElementsAre;

// Writes down its calls; calls wait while it is closed.
class Service : public cv1::ControlService::Service {
 public:
  grpc::Status SetUser(grpc::ServerContext* context, const cv1::SetUserRequest* request,
                       cv1::SetUserResponse*) override {
    return Take(context, absl::StrCat(request->stream_id(), " ", request->user().name(), " ",
                                      request->user().head().x()));
  }
  grpc::Status FireEvent(grpc::ServerContext* context, const cv1::FireEventRequest* request,
                         cv1::FireEventResponse*) override {
    if (request->event() == "unknown") {
      return {grpc::StatusCode::NOT_FOUND, "no such event"};
    }
    return Take(context, request->event());
  }
  void Open(bool open) {
    std::lock_guard lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }
  std::vector<std::string> WaitFor(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return calls_.size() >= count; });
    return calls_;
  }

 private:
  grpc::Status Take(grpc::ServerContext* context, std::string call) {
    std::unique_lock lock(mutex_);
    calls_.push_back(std::move(call));
    changed_.notify_all();
    while (!open_ && !context->IsCancelled()) {
      changed_.wait_for(lock, std::chrono::milliseconds(20));
    }
    return grpc::Status::OK;
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  std::vector<std::string> calls_;
};

struct Fixture {
  Fixture() {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service);
    server = builder.BuildAndStart();
    options.connection.address = absl::StrCat("127.0.0.1:", port);
    options.stream_id = std::string("s");
    options.call_timeout_s = 20;
  }
  ~Fixture() { server->Shutdown(); }
  Service service;
  std::unique_ptr<grpc::Server> server;
  ControlOptions options;
};

cv1::User UserAt(const char* name, double x) {
  cv1::User user;
  user.set_name(name);
  user.mutable_head()->set_x(x);
  return user;
}

TEST(ControlClient, KeepsTheNewestOfEachUserWhileACallIsUnderWay) {
  Fixture f;
  f.service.Open(false);
  ControlClient client(f.options);
  client.SetUser(UserAt("a", 1));
  ASSERT_THAT(f.service.WaitFor(1), ElementsAre("s a 1"));
  for (int x = 2; x < 10; ++x) client.SetUser(UserAt("a", x));
  client.SetUser(UserAt("b", 5));
  f.service.Open(true);
  EXPECT_THAT(f.service.WaitFor(3), ElementsAre("s a 1", "s a 9", "s b 5"));
}

TEST(ControlClient, EveryEventGoesOutAndErrorsAreTold) {
  Fixture f;
  std::mutex mutex;
  std::vector<std::string> errors;
  f.options.on_error = [&](const std::string& call, const absl::Status& why) {
    std::lock_guard lock(mutex);
    errors.push_back(absl::StrCat(call, ": ", why.message()));
  };
  ControlClient client(f.options);
  client.FireEvent("unknown");
  client.FireEvent("bow");
  client.FireEvent("bow");
  EXPECT_THAT(f.service.WaitFor(2), ElementsAre("bow", "bow"));
  std::lock_guard lock(mutex);
  EXPECT_THAT(errors, Contains("FireEvent: no such event"));
}

TEST(ControlClient, EndsAtOnceWithACallUnderWayAndWithoutAServer) {
  Fixture f;
  f.service.Open(false);
  {
    ControlClient client(f.options);
    client.FireEvent("bow");
    f.service.WaitFor(1);
    for (int k = 0; k < 100; ++k) client.FireEvent("more");
    EXPECT_EQ(client.counters().dropped, 36u);
  }
  f.options.connection.address = "127.0.0.1:1";
  ControlClient lost(f.options);
  lost.SetUser(UserAt("a", 1));
}

}  // namespace
}  // namespace posewire::client
