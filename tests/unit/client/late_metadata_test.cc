// A pull whose first message is reported before the server's initial metadata, as happens on a busy
// machine, because gRPC reports them on different threads.
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "grpcpp/support/client_interceptor.h"
#include "gtest/gtest.h"
#include "libs/client/pull_client.h"
#include "tests/unit/client/fake_server.h"

namespace posewire::client {
namespace {

using grpc::experimental::ClientRpcInfo;
using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::Interceptor;
using grpc::experimental::InterceptorBatchMethods;

// Holds back the report of a call's initial metadata until Open. Thread-safe.
class Gate {
 public:
  void Hold(InterceptorBatchMethods* report) {
    const std::lock_guard lock(mutex_);
    held_ = report;
    changed_.notify_all();
  }
  void Open() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return held_ != nullptr; });
    InterceptorBatchMethods* const report = std::exchange(held_, nullptr);
    lock.unlock();
    report->Proceed();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  InterceptorBatchMethods* held_ = nullptr;
};

class GateKeeper final : public Interceptor {
 public:
  explicit GateKeeper(Gate* gate) : gate_(*gate) {}
  void Intercept(InterceptorBatchMethods* report) override {
    if (report->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_INITIAL_METADATA)) {
      gate_.Hold(report);
    } else {
      report->Proceed();
    }
  }

 private:
  Gate& gate_;
};

// Applies to the calls of the process while it exists.
class Gated final : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  explicit Gated(Gate* gate) : gate_(*gate) {
    grpc::experimental::RegisterGlobalClientInterceptorFactory(this);
  }
  ~Gated() override { grpc::experimental::TestOnlyResetGlobalClientInterceptorFactory(); }
  Interceptor* CreateClientInterceptor(ClientRpcInfo*) override { return new GateKeeper(&gate_); }

 private:
  Gate& gate_;
};

TEST(PullClient, WaitsForMetadataThatIsReportedAfterTheFirstMessage) {
  FakeServer server;
  server.on_pull = [](auto& context, const auto&, auto& writer) {
    context.AddInitialMetadata(wire::kSparseKey, "1");
    AnimationDataStream header, whole, sparse;
    auto& names = *header.mutable_animation_data_stream_header()->mutable_skel_animation_header();
    for (const char* joint : {"a", "b"}) names.add_joints(joint);
    for (AnimationDataStream* frame : {&whole, &sparse}) {
      auto& key = *frame->mutable_animation_data()->mutable_skel_animation()->add_rotations();
      key.set_time_code(frame == &whole ? 0 : 1);
      for (int joint = 0; joint < 2; ++joint) key.add_values()->set_i(frame == &whole ? 1 : 0);
    }
    for (const auto* message : {&header, &whole, &sparse}) writer.Write(*message);
    return grpc::Status::OK;
  };
  server.Start();
  Gate gate;
  const Gated gated(&gate);
  PullOptions options;
  options.connection = TestConnection(server.address());
  options.ids.stream_id = "s";
  options.form = wire::PoseForm::kSparse;
  PullClient client(options);
  PullEvent event;
  auto header = std::async(std::launch::async, [&] { return client.Next(-1, &event); });
  // The message has come or will come; without the metadata it must not be returned.
  EXPECT_EQ(header.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  gate.Open();
  ASSERT_TRUE(header.get());
  EXPECT_EQ(event.kind, PullEvent::kHeader);
  for (int frame = 0; frame < 2; ++frame) ASSERT_TRUE(client.Next(10, &event));
  ASSERT_NE(event.message.data(), nullptr);
  const std::vector<float> rotations = {0, 1, 0, 0, 0, 1, 0, 0};
  EXPECT_EQ(event.message.data()->pose[wire::kRotations].values, rotations);
}

}  // namespace
}  // namespace posewire::client
