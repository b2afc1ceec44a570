// A gRPC server with what every Posewire process shares: limits, health, reflection, channelz, the
// plain-text rule, the ready line and the drain. No grpcpp header is needed to use it.
//
//   service::Process process;
//   ... flags, config, log ...
//   absl::StatusOr<std::unique_ptr<service::GrpcHost>> host =
//       service::GrpcHost::Start(config.grpc, {&animation_service}, log);
//   if (!host.ok()) return service::Fail(log, host.status());
//   (*host)->AnnounceReady();
//   process.WaitForStop();
//   (*host)->Drain([&](double budget_s) { core.FinishAllPulls(budget_s); });
#ifndef POSEWIRE_LIBS_SERVICE_GRPC_HOST_H_
#define POSEWIRE_LIBS_SERVICE_GRPC_HOST_H_

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/rpc/tls_files.h"
#include "libs/service/logger.h"

namespace grpc {
class Server;
class ServerCompletionQueue;
class Service;
}  // namespace grpc

namespace posewire::service {

class CallCount;
class ConnectionTable;
class Flags;

struct GrpcHostOptions {
  // HOST:PORT, [V6]:PORT or unix:PATH; port 0 takes a free one. Empty: the process does not listen.
  std::string listen;
  // With a certificate TLS is spoken and nothing else. What who is let in does in HTTP/2 cannot be
  // looked at then, as it is in plain text.
  rpc::TlsFiles tls = {};
  // Those who may call, as of TokenTable; empty: all. See OpenAuthorizer.
  std::string tokens = {};
  // While that file cannot be used: "keep" the tokens that it had last, or "deny" them all.
  std::string tokens_lost = "keep";
  // Whether that is so now. Written by the authorizer, read by /metrics.
  std::shared_ptr<std::atomic<bool>> tokens_unusable = std::make_shared<std::atomic<bool>>(false);
  // Plain text is spoken on loopback and unix sockets only, unless this is set.
  bool allow_plaintext = false;
  // gRPC's services that tell of the server itself. Channelz tells of everybody's calls: it is
  // never served beside tokens.
  bool reflection = true;
  bool channelz = true;
  int max_message_bytes = 4 << 20;
  int max_call_metadata_bytes = 8 << 10;
  int max_streams_per_connection = 100;
  int max_connections = 1024;
  int max_connections_per_address = 512;
  // Memory of gRPC itself (buffers of all calls); past it new work is refused.
  int64_t memory_quota_mb = 512;
  // Connections that have not finished their opening by then are closed.
  double handshake_timeout_s = 5.0;
  // Pings that come more often than this without data are refused with GOAWAY.
  double min_ping_interval_s = 5.0;
  // After "not serving" and before the drain, so that balancers notice.
  double drain_delay_s = 0.2;
  // From the stop to the end of the last call.
  double drain_timeout_s = 8.0;

  // Declares --listen (default as set now), --allow-plaintext, certificates, --tokens and the
  // limits.
  void Declare(Flags& flags);
};

// Thread-safe but for Drain and Shutdown. The destructor shuts down at once.
class GrpcHost {
 public:
  // Binds and serves. `services` must outlive the host. Errors: INVALID_ARGUMENT for an address
  // that cannot be read, FAILED_PRECONDITION for one beyond loopback without allow_plaintext,
  // ALREADY_EXISTS when the port is taken, UNAVAILABLE when it cannot be bound for another reason.
  //
  // With `queues` the caller serves from completion queues: it takes them, polls each on one thread
  // by service::QueueEvent, calls Shutdown, and then shuts the queues down and drains them before
  // this host goes: what comes back from a queue looks at the server once more. In return no
  // other thread polls but the one that serves reflection and channelz, as long as no service has
  // callback methods.
  static absl::StatusOr<std::unique_ptr<GrpcHost>> Start(
      const GrpcHostOptions& options, const std::vector<grpc::Service*>& services, Logger log,
      int queues = 0);
  ~GrpcHost();
  GrpcHost(const GrpcHost&) = delete;
  GrpcHost& operator=(const GrpcHost&) = delete;

  int port() const;                    // 0 for a unix socket.
  const std::string& address() const;  // To dial: "127.0.0.1:51000" or "unix:/run/x.sock".
  // Which socket a call came by.
  const ConnectionTable& connections() const;
  // For the calls that are served from the queues: they are counted here.
  CallCount* calls();
  // Once: all that were asked for.
  std::vector<std::unique_ptr<grpc::ServerCompletionQueue>> TakeQueues();

  // Says once that the process is ready: {"grpc_port": 51000} or {"grpc_address": "unix:..."} as
  // one line, flushed. With `http_port`, that of a HttpHost, the line also has "http_port".
  void AnnounceReady(std::FILE* out = stdout, int http_port = 0) const;
  // What health answers for the empty service name and for each service. Starts as serving.
  void SetServing(bool serving);
  // Not serving, drain_delay_s, `finish(budget_s)`, which ends the calls by their own last words
  // within the budget; the server shuts down, and what is then left is cut after a second. Without
  // `finish` calls may go on until drain_timeout_s.
  void Drain(const std::function<void(double budget_s)>& finish);
  // Cuts all calls at once, and returns when those that are counted have ended. May follow Drain.
  // The destructor does the same.
  void Shutdown();

 private:
  struct Impl;
  explicit GrpcHost(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Asks the health service at `address`: 0 when it serves, 1 otherwise, with a line on stdout.
// As any other client with the files of what is dialled, if there are some; else as the server
// itself, by its own files.
int CheckHealth(absl::string_view address, const rpc::TlsFiles& own,
                const rpc::TlsFiles& dialled = {}, double timeout_s = 3.0);

// Logs the status as an error, or writes it to standard error where the log is off, and returns 1,
// the exit code.
int Fail(const Logger& log, const absl::Status& status);
// The same before the work has begun: returns 2 for wrong settings (INVALID_ARGUMENT,
// NOT_FOUND, FAILED_PRECONDITION).
int FailToStart(const Logger& log, const absl::Status& status);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_GRPC_HOST_H_
