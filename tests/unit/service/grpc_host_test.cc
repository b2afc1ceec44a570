#include "libs/service/grpc_host.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "grpc.health.v1.grpc.pb.h"
#include "libs/service/connection_table.h"
#include "libs/service/queue_calls.h"
#include "nvidia_ace.services.animation_data.v1.grpc.pb.h"

namespace posewire::service {
namespace {

using ::grpc::health::v1::Health;
using ::grpc::health::v1::HealthCheckRequest;
using ::grpc::health::v1::HealthCheckResponse;
using ::nvidia_ace::animation_data::v1::AnimationDataStream;
using ::nvidia_ace::services::animation_data::v1::AnimationDataService;
using ::nvidia_ace::status::v1::Status;
using ::testing::HasSubstr;

// Push counts what it reads; Pull sends nothing and lasts until it is cancelled.
class RawService : public AnimationDataService::WithRawCallbackMethod_PushAnimationDataStream<
                       AnimationDataService::WithRawCallbackMethod_PullAnimationDataStream<
                           AnimationDataService::Service>> {
 public:
  grpc::ServerReadReactor<grpc::ByteBuffer>* PushAnimationDataStream(
      grpc::CallbackServerContext* context, grpc::ByteBuffer* response) override {
    std::lock_guard lock(mutex);
    peer = context->peer();
    return new Push(this, response);
  }
  grpc::ServerWriteReactor<grpc::ByteBuffer>* PullAnimationDataStream(
      grpc::CallbackServerContext*, const grpc::ByteBuffer*) override {
    ++pulls;
    return new Pull;
  }
  std::atomic<int> messages = 0;
  std::atomic<size_t> bytes = 0;
  std::atomic<int> pulls = 0;
  std::mutex mutex;
  std::string peer;  // of the last push; guarded by mutex

 private:
  class Push : public grpc::ServerReadReactor<grpc::ByteBuffer> {
   public:
    Push(RawService* owner, grpc::ByteBuffer* response) : owner_(owner) {
      *response = grpc::ByteBuffer(nullptr, 0);
      StartRead(&message_);
    }
    void OnReadDone(bool ok) override {
      if (!ok) return Finish(grpc::Status::OK);
      ++owner_->messages;
      owner_->bytes += message_.Length();
      StartRead(&message_);
    }
    void OnDone() override { delete this; }

   private:
    RawService* owner_;
    grpc::ByteBuffer message_;
  };
  class Pull : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
   public:
    Pull() { StartSendInitialMetadata(); }
    void OnCancel() override { Finish(grpc::Status::CANCELLED); }
    void OnDone() override { delete this; }
  };
};

class GrpcHostTest : public ::testing::Test {
 protected:
  void Start(GrpcHostOptions options = {}) {
    if (options.listen.empty()) options.listen = "127.0.0.1:0";
    auto host = GrpcHost::Start(options, {&service_}, Logger());
    ASSERT_TRUE(host.ok()) << host.status();
    host_ = *std::move(host);
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    channel_ =
        grpc::CreateCustomChannel(host_->address(), grpc::InsecureChannelCredentials(), arguments);
  }

  grpc::StatusCode Check(const std::string& name, HealthCheckResponse::ServingStatus* serving) {
    grpc::ClientContext context;
    HealthCheckRequest request;
    request.set_service(name);
    HealthCheckResponse response;
    const grpc::Status status = Health::NewStub(channel_)->Check(&context, request, &response);
    *serving = response.status();
    return status.error_code();
  }

  grpc::Status Push(grpc::ClientContext* context, const std::string& extra) {
    Status answer;
    auto writer =
        AnimationDataService::NewStub(channel_)->PushAnimationDataStream(context, &answer);
    AnimationDataStream message;
    message.mutable_status()->set_message(extra);
    writer->Write(message);
    writer->WritesDone();
    return writer->Finish();
  }

  RawService service_;
  std::unique_ptr<GrpcHost> host_;
  std::shared_ptr<grpc::Channel> channel_;
};

// One request and one answer of the reflection service, whose messages this Debian does not ship.
std::string Reflect(const std::shared_ptr<grpc::Channel>& channel, const std::string& request) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  grpc::CompletionQueue queue;
  auto call = stub.PrepareCall(
      &context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  void* tag = nullptr;
  bool ok = false;
  call->StartCall(nullptr);
  queue.Next(&tag, &ok);
  const grpc::Slice slice(request);
  call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
  queue.Next(&tag, &ok);
  grpc::ByteBuffer answer;
  call->Read(&answer, nullptr);
  queue.Next(&tag, &ok);
  std::string text;
  std::vector<grpc::Slice> slices;
  if (ok && answer.Dump(&slices).ok()) {
    for (const grpc::Slice& part : slices) {
      text.append(reinterpret_cast<const char*>(part.begin()), part.size());
    }
  }
  context.TryCancel();
  grpc::Status status;
  call->Finish(&status, nullptr);
  queue.Next(&tag, &ok);
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
  return text;
}

TEST_F(GrpcHostTest, SaysItsPortInOneLine) {
  Start();
  EXPECT_GT(host_->port(), 0);
  std::FILE* file = std::tmpfile();
  host_->AnnounceReady(file);
  std::rewind(file);
  char line[100] = {};
  ASSERT_NE(std::fgets(line, sizeof(line), file), nullptr);
  EXPECT_EQ(line, "{\"grpc_port\": " + std::to_string(host_->port()) + "}\n");
  EXPECT_EQ(std::fgetc(file), EOF);
  std::rewind(file);
  host_->AnnounceReady(file, 8020, 8021);
  std::rewind(file);
  ASSERT_NE(std::fgets(line, sizeof(line), file), nullptr);
  EXPECT_EQ(line, "{\"grpc_port\": " + std::to_string(host_->port()) +
                      ", \"http_port\": 8020, \"probes_port\": 8021}\n");
  EXPECT_EQ(std::fgetc(file), EOF);
  std::fclose(file);
}

TEST_F(GrpcHostTest, ListsItsServicesByReflection) {
  Start();
  const std::string list = Reflect(channel_, std::string("\x3a\x00", 2));  // list_services: ""
  EXPECT_THAT(list, HasSubstr("nvidia_ace.services.animation_data.v1.AnimationDataService"));
  EXPECT_THAT(list, HasSubstr("grpc.health.v1.Health"));
  EXPECT_THAT(list, HasSubstr("grpc.channelz.v1.Channelz"));
}

TEST_F(GrpcHostTest, DescribesItsServicesByReflection) {
  Start();
  for (const std::string symbol :
       {"grpc.health.v1.Health", "nvidia_ace.services.animation_data.v1.AnimationDataService"}) {
    const std::string request = "\x22" + std::string(1, static_cast<char>(symbol.size())) + symbol;
    // The answer holds the file's descriptor, which names the package's messages.
    EXPECT_THAT(Reflect(channel_, request),
                HasSubstr(symbol == "grpc.health.v1.Health" ? "HealthCheckResponse"
                                                            : "PullAnimationDataStream"));
  }
}

TEST_F(GrpcHostTest, AnswersForItsHealth) {
  Start();
  HealthCheckResponse::ServingStatus serving;
  const std::string name = AnimationDataService::service_full_name();
  EXPECT_EQ(Check("", &serving), grpc::StatusCode::OK);
  EXPECT_EQ(serving, HealthCheckResponse::SERVING);
  EXPECT_EQ(Check(name, &serving), grpc::StatusCode::OK);
  EXPECT_EQ(serving, HealthCheckResponse::SERVING);
  EXPECT_EQ(Check("nobody", &serving), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(CheckHealth(host_->address(), {}), 0);
  host_->SetServing(false);
  EXPECT_EQ(Check("", &serving), grpc::StatusCode::OK);
  EXPECT_EQ(serving, HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(Check(name, &serving), grpc::StatusCode::OK);
  EXPECT_EQ(serving, HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(CheckHealth(host_->address(), {}), 1);
}

TEST_F(GrpcHostTest, TellsThoseWhoWatchItsHealth) {
  Start();
  auto stub = Health::NewStub(channel_);
  grpc::ClientContext known_context, unknown_context, gone_context;
  HealthCheckRequest unknown;
  unknown.set_service("nobody");
  auto known = stub->Watch(&known_context, {});
  auto gone = stub->Watch(&gone_context, {});
  HealthCheckResponse response;
  ASSERT_TRUE(known->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  ASSERT_TRUE(gone->Read(&response));
  gone_context.TryCancel();
  EXPECT_EQ(gone->Finish().error_code(), grpc::StatusCode::CANCELLED);
  auto other = stub->Watch(&unknown_context, unknown);
  ASSERT_TRUE(other->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVICE_UNKNOWN);
  for (const bool serving : {false, true, false}) {
    host_->SetServing(serving);
    ASSERT_TRUE(known->Read(&response));
    EXPECT_EQ(response.status(),
              serving ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING);
  }
  host_.reset();
  EXPECT_FALSE(known->Read(&response));
  EXPECT_FALSE(known->Finish().ok());
}

TEST_F(GrpcHostTest, GivesItsQueuesToBePolledByItsCaller) {
  GrpcHostOptions options;
  options.listen = "127.0.0.1:0";
  auto host = GrpcHost::Start(options, {&service_}, Logger(), 2);
  ASSERT_TRUE(host.ok()) << host.status();
  auto queues = (*host)->TakeQueues();
  ASSERT_EQ(queues.size(), 2u);
  std::vector<std::thread> threads;
  for (const auto& queue : queues) {
    threads.emplace_back([&queue] {
      void* tag = nullptr;
      bool ok = false;
      while (queue->Next(&tag, &ok)) static_cast<QueueEvent*>(tag)->Happened(ok);
    });
  }
  EXPECT_EQ(CheckHealth((*host)->address(), {}), 0);
  (*host)->Shutdown();
  for (const auto& queue : queues) queue->Shutdown();
  for (auto& thread : threads) thread.join();
}

TEST_F(GrpcHostTest, CallsThatNeverCameAreTakenFromTheQueueAfterTheShutdown) {
  GrpcHostOptions options;
  options.listen = "127.0.0.1:0";
  auto host = GrpcHost::Start(options, {&service_}, Logger(), 1);
  ASSERT_TRUE(host.ok()) << host.status();
  const auto queues = (*host)->TakeQueues();
  (*host)->Shutdown();
  queues[0]->Shutdown();
  int events = 0;
  void* tag = nullptr;
  bool ok = true;
  for (; queues[0]->Next(&tag, &ok); ++events) {
    EXPECT_FALSE(ok);
    static_cast<QueueEvent*>(tag)->Happened(ok);
  }
  // A check and a watch of the health, reflection, and seven methods of channelz.
  EXPECT_EQ(events, 10);
}

TEST_F(GrpcHostTest, SaysThatNobodyAnswers) {
  Start();
  const std::string address = host_->address();
  host_.reset();
  EXPECT_EQ(CheckHealth(address, {}), 1);
}

TEST_F(GrpcHostTest, RejectsAPortThatIsTaken) {
  Start();
  GrpcHostOptions options;
  options.listen = host_->address();
  RawService other;
  auto second = GrpcHost::Start(options, {&other}, Logger());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(host_->address()));
}

TEST_F(GrpcHostTest, KnowsTheSocketOfEachTcpCall) {
  for (const char* listen : {"127.0.0.1:0", "[::1]:0", "localhost:0"}) {
    GrpcHostOptions options;
    options.listen = listen;
    if (options.listen[0] == '[' && !GrpcHost::Start(options, {}, Logger()).ok()) continue;
    Start(options);
    grpc::ClientContext context;
    ASSERT_TRUE(Push(&context, "a").ok());
    const int fd = host_->connections().Find(service_.peer);
    ASSERT_GE(fd, 0) << service_.peer;
    sockaddr_storage bound{};
    socklen_t size = sizeof(bound);
    ASSERT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size), 0);
    EXPECT_EQ(ntohs(reinterpret_cast<sockaddr_in&>(bound).sin_port), host_->port());
    host_.reset();
  }
}

TEST_F(GrpcHostTest, RejectsConnectionsOnceItHasStopped) {
  GrpcHostOptions options;
  options.drain_delay_s = 0;
  Start(options);
  host_->Drain(nullptr);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(host_->port()));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_NE(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  close(fd);
}

TEST_F(GrpcHostTest, SpeaksPlainTextBeyondLoopbackOnlyWithLeave) {
  GrpcHostOptions options;
  options.listen = "0.0.0.0:0";
  auto rejected = GrpcHost::Start(options, {&service_}, Logger());
  ASSERT_FALSE(rejected.ok());
  EXPECT_EQ(rejected.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(rejected.status().message()), HasSubstr("--allow-plaintext"));
  options.allow_plaintext = true;
  auto allowed = GrpcHost::Start(options, {&service_}, Logger());
  EXPECT_TRUE(allowed.ok()) << allowed.status();
}

TEST_F(GrpcHostTest, ListensOnAUnixSocketAndTakesOverAStaleOne) {
  const std::string path = ::testing::TempDir() + "host_" + std::to_string(getpid()) + ".sock";
  GrpcHostOptions options;
  options.listen = "unix:" + path;
  Start(options);
  EXPECT_EQ(CheckHealth(host_->address(), {}), 0);
  grpc::ClientContext context;
  EXPECT_TRUE(Push(&context, "a").ok());
  EXPECT_THAT(service_.peer, HasSubstr("unix:"));
  EXPECT_EQ(host_->connections().Find(service_.peer), -1);
  RawService other;
  EXPECT_EQ(GrpcHost::Start(options, {&other}, Logger()).status().code(),
            absl::StatusCode::kAlreadyExists);
  host_.reset();
  // As a process that was killed leaves it.
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un stale{};
  stale.sun_family = AF_UNIX;
  path.copy(stale.sun_path, sizeof(stale.sun_path) - 1);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&stale), sizeof(stale)), 0);
  close(fd);
  ASSERT_EQ(access(path.c_str(), F_OK), 0);
  Start(options);
  EXPECT_EQ(CheckHealth(host_->address(), {}), 0);
  host_.reset();
  unlink(path.c_str());
}

TEST_F(GrpcHostTest, RejectsCompressedMessagesWithoutInflatingThem) {
  Start();
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  for (const auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ClientContext context;
    context.set_compression_algorithm(algorithm);
    const grpc::Status status = Push(&context, std::string(200 << 20, 'a'));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED) << status.error_message();
  }
  EXPECT_EQ(service_.messages, 0);
  grpc::ClientContext plain;
  const grpc::Status status = Push(&plain, "a");
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(service_.messages, 1);
}

TEST_F(GrpcHostTest, RejectsAMessageOverTheLimitAndKeepsTheConnection) {
  GrpcHostOptions options;
  options.max_message_bytes = 10000;
  Start(options);
  auto stub = AnimationDataService::NewStub(channel_);
  grpc::ClientContext pull_context;
  auto pull = stub->PullAnimationDataStream(&pull_context, {});
  pull->WaitForInitialMetadata();
  grpc::ClientContext big;
  EXPECT_EQ(Push(&big, std::string(10001, 'a')).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(service_.messages, 0);
  grpc::ClientContext small;
  EXPECT_TRUE(Push(&small, std::string(9000, 'a')).ok());
  // The pull on the same connection still stands: its end is the cancel, not a lost connection.
  pull_context.TryCancel();
  AnimationDataStream message;
  while (pull->Read(&message)) {
  }
  EXPECT_EQ(pull->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(GrpcHostTest, RejectsCallMetadataOverTheLimitAndServesOn) {
  Start();
  const auto push = [&](size_t size) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.AddMetadata("x-text", std::string(size, 'a'));
    return Push(&context, "a").error_code();
  };
  EXPECT_EQ(push(6000), grpc::StatusCode::OK);
  // gRPC 1.51 answers RESOURCE_EXHAUSTED or closes that caller's connection.
  EXPECT_NE(push(9000), grpc::StatusCode::OK);
  EXPECT_EQ(service_.messages, 1);
  channel_ = grpc::CreateChannel(host_->address(), grpc::InsecureChannelCredentials());
  EXPECT_EQ(push(6000), grpc::StatusCode::OK);
}

TEST_F(GrpcHostTest, ClosesConnectionsThatNeverOpen) {
  GrpcHostOptions options;
  options.handshake_timeout_s = 0.2;
  Start(options);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(host_->port()));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  ASSERT_EQ(write(fd, "PRI * HTTP", 10), 10);
  const timeval limit{.tv_sec = 10, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  char buffer[1000];
  ssize_t got = 0;
  do {
    got = read(fd, buffer, sizeof(buffer));
  } while (got > 0);
  // Closed or reset, but not still open when the time was over.
  EXPECT_TRUE(got == 0 || errno != EAGAIN);
  close(fd);
}

TEST_F(GrpcHostTest, LetsCallsFinishThenCutsTheRest) {
  GrpcHostOptions options;
  options.drain_delay_s = 0;
  options.drain_timeout_s = 9;
  Start(options);
  auto stub = AnimationDataService::NewStub(channel_);
  grpc::ClientContext context;
  auto pull = stub->PullAnimationDataStream(&context, {});
  pull->WaitForInitialMetadata();
  double budget_s = -1;
  HealthCheckResponse::ServingStatus serving = HealthCheckResponse::UNKNOWN;
  const auto start = std::chrono::steady_clock::now();
  host_->Drain([&](double budget) {
    budget_s = budget;
    Check("", &serving);
  });
  const double took_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(serving, HealthCheckResponse::NOT_SERVING);
  EXPECT_GT(budget_s, 7);
  EXPECT_LE(budget_s, 8);
  EXPECT_GE(took_s, 0.9);
  EXPECT_LT(took_s, 5);
  EXPECT_FALSE(pull->Finish().ok());
}

TEST_F(GrpcHostTest, CutsCallsAtTheTimeoutWhenNothingFinishesThem) {
  GrpcHostOptions options;
  options.drain_delay_s = 0;
  options.drain_timeout_s = 0.3;
  Start(options);
  auto stub = AnimationDataService::NewStub(channel_);
  grpc::ClientContext context;
  auto pull = stub->PullAnimationDataStream(&context, {});
  pull->WaitForInitialMetadata();
  const auto start = std::chrono::steady_clock::now();
  host_->Drain(nullptr);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_FALSE(pull->Finish().ok());
}

TEST_F(GrpcHostTest, EndsSoonWhenNoCallIsOpen) {
  GrpcHostOptions options;
  options.drain_delay_s = 0;
  Start(options);
  grpc::ClientContext context;
  EXPECT_TRUE(Push(&context, "a").ok());
  const auto start = std::chrono::steady_clock::now();
  host_->Drain(nullptr);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
}

}  // namespace
}  // namespace posewire::service
