#include "libs/service/queue_calls.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "libs/service/grpc_host.h"
#include "posewire.control.v1.grpc.pb.h"
#include "posewire.source.v1.grpc.pb.h"

namespace posewire::service {
namespace {

namespace cv1 = posewire::control::v1;
namespace sv1 = posewire::source::v1;
using ::testing::HasSubstr;

using ControlAsync = cv1::ControlService::AsyncService;
using SourceAsync = sv1::SourceService::AsyncService;

// Throws as soon as it has come.
class ThrowingStream final : public StreamCall {
 public:
  struct Port {
    ControlAsync* service;
    grpc::ServerCompletionQueue* queue;
    CallCount* calls;
    bool words;  // It knows how to end with the error.
  };
  static void Await(const Port& port) {
    const auto call = std::make_shared<ThrowingStream>(port);
    call->AwaitArrival(&call->done_, port.calls);
    port.service->RequestWatchEvents(&call->context_, &call->request_, &call->stream_, port.queue,
                                     port.queue, call->arrived_.tag());
  }
  explicit ThrowingStream(const Port& port) : port_(port) {}

 private:
  void OnArrived(bool ok) {
    const Port port = port_;
    if (!Arrived(ok)) return;
    Await({port.service, port.queue, port.calls, true});
    throw std::runtime_error("no such folder");
  }
  void OnAnswered(bool) { const auto last = ReleaseEvent(); }
  void OnDone(bool) { const auto last = ReleaseEvent(/*over=*/true); }
  void Fail(const absl::Status& status) override {
    if (!port_.words) return StreamCall::Fail(status);
    std::lock_guard lock(mutex_);
    if (Begin()) stream_.Finish(rpc::ToGrpc(status), answered_.tag());
  }

  const Port port_;
  cv1::WatchEventsRequest request_;
  grpc::ServerAsyncWriter<cv1::Event> stream_{&context_};
  EventOf<ThrowingStream, &ThrowingStream::OnArrived> arrived_{this};
  EventOf<ThrowingStream, &ThrowingStream::OnAnswered> answered_{this};
  EventOf<ThrowingStream, &ThrowingStream::OnDone> done_{this};
};

class QueueCallsTest : public ::testing::Test {
 protected:
  using Done = std::function<void(const grpc::Status&)>;

  QueueCallsTest() {
    GrpcHostOptions options;
    options.listen = "127.0.0.1:0";
    host_ = *GrpcHost::Start(options, {&control_, &source_}, Logger("test", {}, log_), 1);
    queue_ = std::move(host_->TakeQueues().front());
    ServeUnary(&source_, queue_.get(), host_->calls(), &SourceAsync::RequestSay,
               [](const grpc::ServerContext&, const sv1::SayRequest& request, sv1::SayResponse*,
                  const Done& done) {
                 if (request.text() == "memory") throw std::bad_alloc();
                 if (request.text() == "late") {
                   done(grpc::Status::OK);
                   throw std::runtime_error("after the answer");
                 }
                 if (request.text() == "forget") return;
                 throw std::runtime_error("no such folder");
               });
    ThrowingStream::Await({&control_, queue_.get(), host_->calls(), false});
    thread_ = std::thread([this] {
      void* tag = nullptr;
      bool ok = false;
      while (queue_->Next(&tag, &ok)) static_cast<QueueEvent*>(tag)->Happened(ok);
    });
    channel_ = grpc::CreateChannel(host_->address(), grpc::InsecureChannelCredentials());
  }
  ~QueueCallsTest() override {
    host_->Shutdown();
    queue_->Shutdown();
    thread_.join();
  }

  grpc::Status Say(const std::string& text) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    sv1::SayRequest request;
    request.set_text(text);
    sv1::SayResponse response;
    return sv1::SourceService::NewStub(channel_)->Say(&context, request, &response);
  }
  grpc::Status Watch() {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    const auto stub = cv1::ControlService::NewStub(channel_);
    const auto reader = stub->WatchEvents(&context, {});
    cv1::Event event;
    EXPECT_FALSE(reader->Read(&event));
    return reader->Finish();
  }

  std::ostringstream log_;
  ControlAsync control_;
  SourceAsync source_;
  std::unique_ptr<GrpcHost> host_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::thread thread_;
  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(QueueCallsTest, ACallThatThrowsEndsWithAnErrorAndTheNextOneIsServed) {
  for (int i = 0; i < 2; ++i) {
    const grpc::Status status = Say("throw");
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
    EXPECT_THAT(status.error_message(), HasSubstr("std::runtime_error: no such folder"));
  }
  EXPECT_EQ(Say("memory").error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(Say("late").ok());
  host_->Shutdown();
  EXPECT_THAT(log_.str(), HasSubstr("gRPC call: std::runtime_error: no such folder"));
  EXPECT_THAT(log_.str(), HasSubstr("gRPC call: std::runtime_error: after the answer"));
}

TEST_F(QueueCallsTest, ACallWhoseAnswerIsDroppedEndsWithAnError) {
  const grpc::Status status = Say("forget");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_EQ(status.error_message(), "the server gave no answer");
}

TEST_F(QueueCallsTest, AStreamThatThrowsEndsAndTheNextOneIsServed) {
  EXPECT_EQ(Watch().error_code(), grpc::StatusCode::CANCELLED);
  const grpc::Status status = Watch();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_THAT(status.error_message(), HasSubstr("no such folder"));
  host_->Shutdown();
  EXPECT_EQ(host_->calls()->calls(), 0);
  EXPECT_THAT(log_.str(), HasSubstr("gRPC stream: std::runtime_error: no such folder"));
}

}  // namespace
}  // namespace posewire::service
