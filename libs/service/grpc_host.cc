#include "libs/service/grpc_host.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/impl/server_builder_plugin.h>
#include <grpcpp/impl/server_initializer.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/program/terminal_text.h"
#include "libs/rpc/credentials.h"
#include "libs/rpc/grpc_status.h"
#include "libs/rpc/protocol_probe.h"
#include "libs/service/about/channelz.h"
#include "libs/service/about/info_calls.h"
#include "libs/service/about/reflection.h"
#include "libs/service/address.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/connection_table.h"
#include "libs/service/flags/flags.h"
#include "libs/service/guarded_reads.h"
#include "libs/service/health.h"
#include "libs/service/listener.h"
#include "libs/service/tls_flags.h"

namespace posewire::service {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kKeepaliveTimeout_ms = 10'000;

int Milliseconds(double seconds) { return static_cast<int>(seconds * 1000); }

std::chrono::system_clock::time_point DeadlineIn(double seconds) {
  return std::chrono::system_clock::now() +
         std::chrono::milliseconds(Milliseconds(std::max(0.0, seconds)));
}

void SetLimits(const GrpcHostOptions& options, grpc::ServerBuilder* builder) {
  builder->SetMaxReceiveMessageSize(options.max_message_bytes);
  builder->SetMaxSendMessageSize(-1);
  builder->AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, options.max_call_metadata_bytes);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.max_streams_per_connection);
  builder->AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                              Milliseconds(options.handshake_timeout_s));
  // A tenth less than documented, so that a client with exactly this period is not rejected because
  // of jitter.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                              Milliseconds(options.min_ping_interval_s * 0.9));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeout_ms);
  // Identity only: compressed messages are rejected before they can inflate.
  for (int i = 0; i < GRPC_COMPRESS_ALGORITHMS_COUNT; ++i) {
    const auto algorithm = static_cast<grpc_compression_algorithm>(i);
    builder->SetCompressionAlgorithmSupportStatus(algorithm, algorithm == GRPC_COMPRESS_NONE);
  }
  grpc::ResourceQuota quota("posewire");
  quota.Resize(static_cast<size_t>(options.memory_quota_mb) << 20);
  builder->SetResourceQuota(quota);
}

// Collects the names of the registered services, because a Service does not expose its own.
class ServiceNames : public grpc::ServerBuilderOption {
 public:
  explicit ServiceNames(std::shared_ptr<std::vector<std::string>> names)
      : names_(std::move(names)) {}
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    plugins->push_back(std::make_unique<Plugin>(names_));
  }

 private:
  class Plugin : public grpc::ServerBuilderPlugin {
   public:
    explicit Plugin(std::shared_ptr<std::vector<std::string>> names) : names_(std::move(names)) {}
    std::string name() override { return "posewire_service_names"; }
    void InitServer(grpc::ServerInitializer*) override {}
    void Finish(grpc::ServerInitializer* server) override { *names_ = *server->GetServiceList(); }
    void ChangeArguments(const std::string&, void*) override {}

   private:
    std::shared_ptr<std::vector<std::string>> names_;
  };
  std::shared_ptr<std::vector<std::string>> names_;
};

// Omits channelz if callers have names, because it shows other callers.
std::vector<const char*> InfoMethods(const GrpcHostOptions& options) {
  std::vector<const char*> methods;
  if (options.channelz && options.tokens.empty()) methods = ChannelzMethods();
  if (options.reflection) methods.push_back(kReflectionMethod);
  return methods;
}

// Polls until the queue is shut down and drained.
void Poll(grpc::ServerCompletionQueue* queue, const Logger& log) {
  void* tag = nullptr;
  bool ok = false;
  while (queue->Next(&tag, &ok)) {
    (void)CatchExceptions(log, "gRPC queue", [&] { static_cast<QueueEvent*>(tag)->Happened(ok); });
  }
}

}  // namespace

void GrpcHostOptions::Declare(Flags& flags) {
  flags.Group("Listening");
  flags.Add("listen", &listen, "Address of the gRPC server; port 0 takes a free one.",
            {.value_name = "HOST:PORT|unix:PATH", .check = [](absl::string_view text) {
               return text.empty() ? absl::OkStatus() : ParseListenAddress(text).status();
             }});
  flags.Add("allow-plaintext", &allow_plaintext,
            "Lets the server listen beyond loopback although it speaks plain text.");
  DeclareListenTls(flags, &tls);
  flags.Add(
      "tokens", &tokens,
      "Only calls with a token of this file are served, each for its permissions and streams; read "
      "again when it changes.",
      {.value_name = "FILE"});
  flags.Add(
      "tokens-lost", &tokens_lost,
      "While the file of --tokens cannot be read: keep takes the tokens that it had last, deny "
      "refuses all calls that need one.",
      {.choices = {"keep", "deny"}});
  flags.Add("reflection", &reflection,
            "Lets callers list the services and messages; --no-reflection does not.",
            {.rare = true});
  flags.Add("channelz", &channelz,
            "Lets callers list gRPC's connections and calls; never together with --tokens.",
            {.rare = true});
  flags.Add("max-message-bytes", &max_message_bytes, "Largest message that is accepted.",
            {.min = 1024, .max = 1 << 30, .rare = true});
  flags.Add("max-call-metadata-bytes", &max_call_metadata_bytes, "Largest metadata of a call.",
            {.min = 1024, .max = 1 << 20, .rare = true});
  flags.Add("max-streams-per-connection", &max_streams_per_connection,
            "Calls at once on one connection.", {.min = 1, .max = 1'000'000, .rare = true});
  flags.Add("max-connections", &max_connections, "Connections at once.",
            {.min = 1, .max = 1'000'000, .rare = true});
  flags.Add("max-connections-per-address", &max_connections_per_address,
            "Connections of one IP address at once.", {.min = 1, .max = 1'000'000, .rare = true});
  flags.Add("memory-quota-mb", &memory_quota_mb, "Memory for gRPC's buffers.",
            {.min = 16, .max = 1 << 20, .rare = true});
  flags.Add("handshake-timeout-s", &handshake_timeout_s,
            "Seconds after which a connection that is not open yet is closed.",
            {.min = 0.1, .max = 600, .rare = true});
  flags.Add("min-ping-interval-s", &min_ping_interval_s,
            "Clients that ping more often, without data, are disconnected.",
            {.min = 0.01, .max = 3600, .rare = true});
  flags.Add("drain-delay-s", &drain_delay_s,
            "Seconds from \"not serving\" to the end of the calls.",
            {.min = 0, .max = 5, .rare = true});
  flags.Add("drain-timeout-s", &drain_timeout_s,
            "Most seconds from the stop to the end of the last call.",
            {.min = 0.1, .max = most_drain_timeout_s, .rare = true});
}

struct GrpcHost::Impl {
  explicit Impl(GrpcHostOptions with) : options(std::move(with)) {}
  // Passes a connection to gRPC, which will close it.
  void Take(int listener_fd, int fd);

  GrpcHostOptions options;
  Logger log;
  ListenAddress bound;
  std::string address;
  std::unique_ptr<Listener> listener;
  ConnectionTable connections{{options.max_connections, options.max_connections_per_address}};
  std::shared_ptr<const OnCut> on_cut;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor;
  CallCount calls;
  std::shared_ptr<Health> health = std::make_shared<Health>();
  std::shared_ptr<InfoCalls> info;  // null: neither reflection nor channelz
  std::vector<std::unique_ptr<grpc::ServerCompletionQueue>> queues;  // until they are taken
  // For a host without requested queues: serves health, reflection and channelz.
  std::unique_ptr<grpc::ServerCompletionQueue> own_queue;
  std::thread own_thread;
  std::shared_ptr<grpc::ServerCredentials> credentials;  // of the server
  std::unique_ptr<grpc::Server> server;
};

void GrpcHost::Impl::Take(int listener_fd, int fd) {
  if (const absl::Status s = connections.Add(fd); !s.ok()) {
    if (absl::IsResourceExhausted(s)) {
      log.Warning("a connection was refused", {{"why", std::string(s.message())}});
    }
    close(fd);
    return;
  }
  if (!options.tls.any()) GuardReads(fd, FrameLimits{}, on_cut);
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
  connection.listener_fd = listener_fd;
  connection.fd = fd;
  acceptor->HandleNewConnection(&connection);
}

GrpcHost::GrpcHost(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

absl::StatusOr<std::unique_ptr<GrpcHost>> GrpcHost::Start(
    const GrpcHostOptions& options, const std::vector<grpc::Service*>& services, Logger log,
    int queues) {
  absl::StatusOr<ListenAddress> address = ParseListenAddress(options.listen);
  if (!address.ok()) return address.status();
  if (absl::Status s = CheckPlaintext(*address, options.allow_plaintext || options.tls.any());
      !s.ok())
    return s;
  auto listener =
      Listener::Open(*address, ListenerOptions{.user_timeout_ms = kKeepaliveTimeout_ms}, log);
  if (!listener.ok()) return listener.status();

  auto impl = std::make_unique<Impl>(options);
  impl->log = std::move(log);
  impl->calls.LogTo(impl->log);
  impl->on_cut = std::make_shared<const OnCut>([impl = impl.get()](int fd, const char* why) {
    impl->log.Warning("a connection was cut",
                      {{"peer", impl->connections.NameOf(fd)}, {"why", why}});
  });
  impl->listener = *std::move(listener);
  impl->bound = impl->listener->bound();
  impl->address = impl->bound.ToString();
  impl->credentials =
      rpc::ServerCredentials(options.tls, [log = impl->log](const absl::Status& why) {
        log.Error("the new certificate of gRPC cannot be used; the previous one stays in use",
                  {{"why", why.message()}});
      });
  grpc::ServerBuilder builder;
  SetLimits(options, &builder);
  impl->acceptor = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, impl->credentials);
  for (grpc::Service* service : services) builder.RegisterService(service);
  builder.RegisterService(&impl->health->service());
  for (int i = 0; i < queues; ++i) impl->queues.push_back(builder.AddCompletionQueue());
  const std::vector<const char*> info_methods = InfoMethods(options);
  if (!info_methods.empty()) {
    impl->info = std::make_shared<InfoCalls>(info_methods);
    for (grpc::Service* service : impl->info->services()) builder.RegisterService(service);
  }
  if (queues == 0) impl->own_queue = builder.AddCompletionQueue();
  auto names = std::make_shared<std::vector<std::string>>();
  builder.SetOption(std::make_unique<ServiceNames>(names));
  impl->server = builder.BuildAndStart();
  if (impl->server == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("cannot serve on ", impl->address, ": gRPC could not start its server"));
  }
  // With a thread of its own, gRPC would read connections and accept calls faster than they are
  // answered, and keep the waiting ones: 350 MiB for a hundred thousand calls.
  grpc::ServerCompletionQueue* const first =
      queues > 0 ? impl->queues.front().get() : impl->own_queue.get();
  impl->health->Serve(*names, first, &impl->calls);
  if (impl->info != nullptr) {
    impl->info->Serve(
        [names = *names](absl::string_view method,
                         const std::string& message) -> absl::StatusOr<std::string> {
          return method == kReflectionMethod ? AnswerReflection(message, names)
                                             : AnswerChannelz(method, message);
        },
        first, &impl->calls);
  }
  if (queues == 0) {
    impl->own_thread = std::thread([impl = impl.get()] { Poll(impl->own_queue.get(), impl->log); });
  }
  impl->listener->Start([impl = impl.get()](int by, int fd) { impl->Take(by, fd); });
  impl->log.Info("listening", {{"address", impl->address}});
  return std::unique_ptr<GrpcHost>(new GrpcHost(std::move(impl)));
}

void GrpcHost::Shutdown() {
  impl_->listener->Stop();
  impl_->server->Shutdown(DeadlineIn(0));
  impl_->server->Wait();
  // gRPC returns when the connections are closed, but events of calls may still be pending.
  const Clock::time_point start = Clock::now();
  while (impl_->calls.calls() > 0) {
    if (Clock::now() - start > std::chrono::seconds(5)) {
      impl_->log.Error("calls have not ended", {{"calls", impl_->calls.calls()}});
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

GrpcHost::~GrpcHost() {
  Shutdown();
  // Queues that were not taken are not polled.
  for (const auto& queue : impl_->queues) {
    queue->Shutdown();
    Poll(queue.get(), impl_->log);
  }
  if (impl_->own_queue == nullptr) return;
  impl_->own_queue->Shutdown();
  impl_->own_thread.join();
}

int GrpcHost::port() const { return impl_->bound.port; }
const std::string& GrpcHost::address() const { return impl_->address; }
const ConnectionTable& GrpcHost::connections() const { return impl_->connections; }

CallCount* GrpcHost::calls() { return &impl_->calls; }

std::vector<std::unique_ptr<grpc::ServerCompletionQueue>> GrpcHost::TakeQueues() {
  return std::move(impl_->queues);
}

void GrpcHost::AnnounceReady(std::FILE* out, int http_port, int probes_port) const {
  std::string line = impl_->bound.unix_path.empty()
                         ? absl::StrCat("{\"grpc_port\": ", impl_->bound.port)
                         : absl::StrCat("{\"grpc_address\": ", QuoteText(impl_->address));
  if (http_port != 0) absl::StrAppend(&line, ", \"http_port\": ", http_port);
  if (probes_port != 0) absl::StrAppend(&line, ", \"probes_port\": ", probes_port);
  line += "}\n";
  std::fputs(line.c_str(), out);
  std::fflush(out);
}

void GrpcHost::SetServing(bool serving) { impl_->health->SetServing(serving); }

void GrpcHost::Drain(const std::function<void(double budget_s)>& finish) {
  const Clock::time_point start = Clock::now();
  const auto left_s = [&] {
    return impl_->options.drain_timeout_s -
           std::chrono::duration<double>(Clock::now() - start).count();
  };
  SetServing(false);
  impl_->log.Info("draining", {{"timeout_s", impl_->options.drain_timeout_s}});
  std::this_thread::sleep_for(
      std::chrono::milliseconds(Milliseconds(impl_->options.drain_delay_s)));
  // One second is reserved for calls that `finish` does not know, such as a health watch.
  constexpr double kRestS = 1.0;
  double rest_s = left_s();
  if (finish) {
    finish(std::max(0.0, left_s() - kRestS));
    rest_s = std::min(left_s(), kRestS);
  }
  impl_->listener->Stop();
  impl_->server->Shutdown(DeadlineIn(rest_s));
  impl_->server->Wait();
  impl_->log.Info("stopped",
                  {{"drain_s", std::chrono::duration<double>(Clock::now() - start).count()}});
}

int CheckHealth(absl::string_view address, const rpc::TlsFiles& own, const rpc::TlsFiles& dialled,
                double timeout_s) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  auto channel = grpc::CreateCustomChannel(
      std::string(address),
      dialled.any() ? rpc::ClientCredentials(dialled) : rpc::OwnServerCredentials(own), arguments);
  auto stub = ::grpc::health::v1::Health::NewStub(channel);
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(timeout_s));
  context.set_wait_for_ready(false);
  ::grpc::health::v1::HealthCheckResponse response;
  const grpc::Status status = stub->Check(&context, {}, &response);
  const std::string mismatch =
      rpc::ProtocolMismatch(address, dialled.any() || own.any(), rpc::FromGrpc(status));
  const std::string answer =
      status.ok()
          ? ::grpc::health::v1::HealthCheckResponse::ServingStatus_Name(response.status())
          : absl::StrCat("no answer: ", mismatch.empty() ? status.error_message() : mismatch);
  std::fprintf(stdout, "%s\n", program::TerminalText(absl::StrCat(address, ": ", answer)).c_str());
  return status.ok() && response.status() == ::grpc::health::v1::HealthCheckResponse::SERVING ? 0
                                                                                              : 1;
}

int Fail(const Logger& log, const absl::Status& status) {
  log.Error("failed",
            {{"code", absl::StatusCodeToString(status.code())}, {"error", status.message()}});
  if (!log.Enabled(LogLevel::kError)) {
    std::fprintf(stderr, "failed: %s\n", program::TerminalLines(status.message()).c_str());
  }
  return 1;
}

int FailToStart(const Logger& log, const absl::Status& status) {
  const int code = Fail(log, status);
  const bool wrong = absl::IsInvalidArgument(status) || absl::IsNotFound(status) ||
                     absl::IsFailedPrecondition(status) || absl::IsPermissionDenied(status);
  return wrong ? 2 : code;
}

}  // namespace posewire::service
