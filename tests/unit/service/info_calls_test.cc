#include "libs/service/about/info_calls.h"

#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "grpc.reflection.v1alpha.pb.h"
#include "libs/service/about/channelz.h"
#include "libs/service/about/reflection.h"

namespace posewire::service {
namespace {

namespace pb = ::grpc::reflection::v1alpha;

constexpr char kEcho[] = "/test.Echo/Ask";

// Answers each message with itself.
class InfoCallsTest : public testing::Test {
 protected:
  void Start(const InfoLimits& limits) {
    calls_ = std::make_shared<InfoCalls>(std::vector<const char*>{kEcho}, limits);
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    for (grpc::Service* service : calls_->services()) builder.RegisterService(service);
    queue_ = builder.AddCompletionQueue();
    server_ = builder.BuildAndStart();
    calls_->Serve([](absl::string_view, const std::string& message) { return message; },
                  queue_.get(), &count_);
    thread_ = std::thread([this] {
      void* tag = nullptr;
      bool ok = false;
      while (queue_->Next(&tag, &ok)) static_cast<QueueEvent*>(tag)->Happened(ok);
    });
  }
  void TearDown() override {
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
    queue_->Shutdown();
    thread_.join();
    EXPECT_EQ(count_.calls(), 0);
  }

  // With a connection of its own.
  std::shared_ptr<grpc::Channel> Connect() const {
    grpc::ChannelArguments own;
    own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port_),
                                     grpc::InsecureChannelCredentials(), own);
  }

  std::shared_ptr<InfoCalls> calls_;
  CallCount count_;
  int port_ = 0;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  std::thread thread_;
};

// A call that is held open.
class Held {
 public:
  explicit Held(const std::shared_ptr<grpc::Channel>& channel) : stub_(channel) {
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    call_ = stub_.PrepareCall(&context_, kEcho, &queue_);
    call_->StartCall(nullptr);
    Next();
  }
  ~Held() {
    context_.TryCancel();
    if (!finished_) End();
    queue_.Shutdown();
    while (Next()) {
    }
  }
  // The answer, or nothing once the call has ended.
  std::string Ask(const std::string& message) {
    Write(message);
    return Read();
  }
  // False once the call has ended.
  bool Write(const std::string& message) {
    const grpc::Slice slice(message);
    call_->Write(grpc::ByteBuffer(&slice, 1), nullptr);
    return Next();
  }
  std::string Read() {
    grpc::ByteBuffer answer;
    call_->Read(&answer, nullptr);
    grpc::Slice whole;
    if (!Next() || !answer.DumpToSingleSlice(&whole).ok()) return "";
    return std::string(whole.begin(), whole.end());
  }
  grpc::StatusCode End() {
    grpc::Status status;
    finished_ = true;
    call_->Finish(&status, nullptr);
    Next();
    return status.error_code();
  }

 private:
  bool Next() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  bool finished_ = false;
};

TEST_F(InfoCallsTest, AnswerOneMessageAfterTheOther) {
  Start({});
  Held call(Connect());
  EXPECT_EQ(call.Ask("one"), "one");
  EXPECT_EQ(call.Ask(std::string(1 << 20, 'x')), std::string(1 << 20, 'x'));
}

TEST_F(InfoCallsTest, RejectMoreOfOneConnectionAndServeOthers) {
  Start({.of_connection = 2});
  const auto greedy = Connect();
  Held first(greedy), second(greedy);
  EXPECT_EQ(first.Ask("a"), "a");
  EXPECT_EQ(second.Ask("a"), "a");
  Held third(greedy);
  EXPECT_EQ(third.Ask("a"), "");
  EXPECT_EQ(third.End(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  Held other(Connect());
  EXPECT_EQ(other.Ask("b"), "b");
  EXPECT_EQ(first.Ask("c"), "c");
}

TEST_F(InfoCallsTest, EndTheOldestForANewOne) {
  Start({.all = 2});
  Held first(Connect());
  EXPECT_EQ(first.Ask("a"), "a");
  Held second(Connect());
  EXPECT_EQ(second.Ask("a"), "a");
  Held third(Connect());
  EXPECT_EQ(third.Ask("a"), "a");
  EXPECT_EQ(first.Read(), "");
  EXPECT_EQ(first.End(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(second.Ask("b"), "b");
}

TEST_F(InfoCallsTest, EndAfterTheirTime) {
  Start({.longest_s = 0.05});
  Held call(Connect());
  EXPECT_EQ(call.Read(), "");
  EXPECT_EQ(call.End(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

// The answer is larger than what gRPC takes before somebody reads.
TEST_F(InfoCallsTest, EndThoughTheirClientTakesNoAnswer) {
  Start({.longest_s = 0.05});
  Held call(Connect());
  call.Write(std::string(3 << 20, 'x'));
  for (int i = 0; i < 2000 && count_.calls() > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(count_.calls(), 0);
}

pb::ServerReflectionResponse Reflect(const pb::ServerReflectionRequest& request) {
  const auto answer = AnswerReflection(request.SerializeAsString(), {"a.Service"});
  pb::ServerReflectionResponse out;
  EXPECT_TRUE(answer.ok() && out.ParseFromString(*answer)) << answer.status();
  EXPECT_EQ(out.original_request().SerializeAsString(), request.SerializeAsString());
  return out;
}

TEST(Reflection, FindsFilesWithAllThatTheyImport) {
  pb::ServerReflectionRequest request;
  request.set_host("h");
  request.set_file_containing_symbol(
      "nvidia_ace.services.animation_data.v1.AnimationDataService.PullAnimationDataStream");
  const auto by_symbol = Reflect(request);
  EXPECT_EQ(by_symbol.valid_host(), "h");
  EXPECT_GT(by_symbol.file_descriptor_response().file_descriptor_proto_size(), 3);
  request.set_file_by_filename("nvidia_ace.services.animation_data.v1.proto");
  EXPECT_EQ(Reflect(request).file_descriptor_response().SerializeAsString(),
            by_symbol.file_descriptor_response().SerializeAsString());
}

TEST(Reflection, SaysWhatItDoesNotFind) {
  pb::ServerReflectionRequest request;
  for (const auto& set : std::vector<std::function<void()>>{
           [&] { request.set_file_by_filename("none.proto"); },
           [&] { request.set_file_containing_symbol("no.Symbol"); },
           [&] { request.mutable_file_containing_extension()->set_containing_type("no.Type"); },
           [&] { request.set_all_extension_numbers_of_type("no.Type"); }}) {
    set();
    EXPECT_EQ(Reflect(request).error_response().error_code(), grpc::StatusCode::NOT_FOUND);
  }
  EXPECT_TRUE(absl::IsInvalidArgument(AnswerReflection("", {}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(AnswerReflection("\xff", {}).status()));
}

TEST(Reflection, ListsExtensionsAndServices) {
  pb::ServerReflectionRequest request;
  request.set_all_extension_numbers_of_type("google.protobuf.MethodOptions");
  EXPECT_EQ(Reflect(request).all_extension_numbers_response().base_type_name(),
            "google.protobuf.MethodOptions");
  request.set_list_services("");
  ASSERT_EQ(Reflect(request).list_services_response().service_size(), 1);
  EXPECT_EQ(Reflect(request).list_services_response().service(0).name(), "a.Service");
}

TEST(Channelz, AnswersEachMethodOrSaysWhyNot) {
  for (const char* method : ChannelzMethods()) {
    const std::string name(method);
    const bool lists = name.find("GetTop") != std::string::npos || name.ends_with("GetServers");
    const auto answer = AnswerChannelz(name, std::string("\x08\x00", 2));
    EXPECT_EQ(answer.status().code(), lists ? absl::StatusCode::kOk : absl::StatusCode::kNotFound)
        << name << answer.status();
  }
  EXPECT_TRUE(absl::IsInvalidArgument(
      AnswerChannelz("/grpc.channelz.v1.Channelz/GetServers", "\xff").status()));
}

}  // namespace
}  // namespace posewire::service
