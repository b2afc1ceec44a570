#include "libs/service/stream/stream_service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "libs/service/grpc_host.h"
#include "nvidia_ace.services.animation_data.v1.grpc.pb.h"

namespace posewire::service {
namespace {

namespace ad = nvidia_ace::animation_data::v1;
using AnimationDataService = nvidia_ace::services::animation_data::v1::AnimationDataService;
using ::testing::HasSubstr;

class ThrowingPulls : public PullServer {
 public:
  absl::Status OpenPull(const wire::StreamIds& ids, std::shared_ptr<stream::PullStream>) override {
    if (ids.stream_id == "memory") throw std::bad_alloc();
    throw std::runtime_error("no such folder");
  }
  void ClosePull(stream::PullStream*) override { ADD_FAILURE() << "none was opened"; }
  void OnRoom() override {}
};

// Takes headers, and throws at the first data.
class ThrowingPushes : public PushServer {
 public:
  absl::StatusOr<TakenPush> OpenPush(const wire::StreamHeader&, const wire::MessageBytes&,
                                     const stream::PushCallOptions&,
                                     std::shared_ptr<stream::PushPeer>) override {
    TakenPush taken;
    taken.taker = std::make_unique<Taker>(this);
    return taken;
  }

  std::string ends;  // once the server is shut down

 private:
  class Taker : public PushTaker {
   public:
    explicit Taker(ThrowingPushes* pushes) : pushes_(pushes) {}
    bool Take(wire::Message*) override { throw std::runtime_error("no place on the disk"); }
    wire::StatusChunk HalfClosed() override { return {}; }
    void Over(stream::PushEnd end, const absl::Status& why) override {
      absl::StrAppend(&pushes_->ends,
                      end == stream::PushEnd::kFault ? "fault: " : "no fault: ", why.message(),
                      "\n");
    }
    ThrowingPushes* const pushes_;
  };
};

class StreamServiceTest : public ::testing::Test {
 protected:
  StreamServiceTest() : log_("test", {}, text_) {
    service_ = std::make_unique<StreamService>(
        StreamServiceParts{.pulls = &pulls_, .pushes = &pushes_, .log = log_});
    Serve(service_.get());
  }
  void Serve(StreamService* service) {
    GrpcHostOptions options;
    options.listen = "127.0.0.1:0";
    host_ = *GrpcHost::Start(options, {service->service()}, log_);
    stub_ = AnimationDataService::NewStub(grpc::CreateChannel(
        absl::StrCat("127.0.0.1:", host_->port()), grpc::InsecureChannelCredentials()));
  }
  grpc::Status Pull(const std::string& stream) {
    grpc::ClientContext context;
    nvidia_ace::animation_id::v1::AnimationIds ids;
    ids.set_stream_id(stream);
    const auto reader = stub_->PullAnimationDataStream(&context, ids);
    ad::AnimationDataStream message;
    while (reader->Read(&message)) {
    }
    return reader->Finish();
  }
  grpc::Status Push(bool data) {
    grpc::ClientContext context;
    nvidia_ace::status::v1::Status answer;
    const auto writer = stub_->PushAnimationDataStream(&context, &answer);
    ad::AnimationDataStream message;
    auto& ids = *message.mutable_animation_data_stream_header()->mutable_animation_ids();
    ids.set_stream_id("s");
    ids.set_request_id("r");
    writer->Write(message);
    message.mutable_animation_data();
    if (data) writer->Write(message);
    writer->WritesDone();
    return writer->Finish();
  }

  std::ostringstream text_;
  Logger log_;
  ThrowingPulls pulls_;
  ThrowingPushes pushes_;
  std::unique_ptr<StreamService> service_;
  std::unique_ptr<GrpcHost> host_;
  std::unique_ptr<AnimationDataService::Stub> stub_;
};

TEST_F(StreamServiceTest, WhatIsThrownEndsThePullAlone) {
  EXPECT_EQ(Pull("memory").error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(Pull("folder").error_code(), grpc::StatusCode::INTERNAL);
  host_ = nullptr;
  EXPECT_THAT(text_.str(), HasSubstr("no such folder"));
}

TEST_F(StreamServiceTest, WhatIsThrownEndsThePushAloneAndItsTakerHearsWhy) {
  EXPECT_EQ(Push(true).error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_TRUE(Push(false).ok());
  host_ = nullptr;
  EXPECT_THAT(pushes_.ends, HasSubstr("fault: push: std::runtime_error: no place on the disk"));
  EXPECT_THAT(pushes_.ends, HasSubstr("no fault: \n"));
  EXPECT_THAT(text_.str(), HasSubstr("push refused stream_id=\"s\" request_id=\"r\""));
}

// One whose inbox has room again before its caller knows who takes the push.
class HastyPushes : public PushServer {
 public:
  absl::StatusOr<TakenPush> OpenPush(const wire::StreamHeader&, const wire::MessageBytes&,
                                     const stream::PushCallOptions&,
                                     std::shared_ptr<stream::PushPeer> peer) override {
    peer->ReadOn();
    // Time for the fault: a message that is read now finds nobody.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    TakenPush taken;
    taken.taker = std::make_unique<Taker>(this);
    taken.read_on = false;
    return taken;
  }
  std::atomic<int> messages = 0;

 private:
  class Taker : public PushTaker {
   public:
    explicit Taker(HastyPushes* pushes) : pushes_(pushes) {}
    bool Take(wire::Message*) override { return ++pushes_->messages > 0; }
    wire::StatusChunk HalfClosed() override { return {}; }
    void Over(stream::PushEnd, const absl::Status&) override {}
    HastyPushes* const pushes_;
  };
};

TEST_F(StreamServiceTest, APushThatMayGoOnBeforeItIsOpenIsReadOnceItIs) {
  HastyPushes pushes;
  StreamService service({.pushes = &pushes, .log = log_});
  Serve(&service);
  EXPECT_TRUE(Push(true).ok());
  host_ = nullptr;
  EXPECT_EQ(pushes.messages, 1);
}

}  // namespace
}  // namespace posewire::service
