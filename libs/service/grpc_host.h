// A gRPC server with all that Posewire processes share: limits, health, reflection, channelz, the
// plain-text rule, the ready line and the drain. It can be used without a grpcpp header.
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
  // HOST:PORT, [V6]:PORT or unix:PATH; port 0 selects a free one. Empty: the process does not
  // listen.
  std::string listen;
  // With a certificate, the server accepts only TLS. The HTTP/2 frames of admitted clients are
  // inspected only in plain text, not in TLS.
  rpc::TlsFiles tls = {};
  // File of permitted callers, see TokenTable; empty: all callers. See OpenAuthorizer.
  std::string tokens = {};
  // While that file cannot be used: "keep" the previous tokens, or "deny" all calls.
  std::string tokens_lost = "keep";
  // True while that file cannot be used. Written by the authorizer, read by /metrics.
  std::shared_ptr<std::atomic<bool>> tokens_unusable = std::make_shared<std::atomic<bool>>(false);
  // Plain text is accepted only on loopback and unix sockets, unless this is set.
  bool allow_plaintext = false;
  // gRPC's services that describe the server. Channelz shows the calls of all clients, so it is
  // never served together with tokens.
  bool reflection = true;
  bool channelz = true;
  int max_message_bytes = 4 << 20;
  int max_call_metadata_bytes = 8 << 10;
  int max_streams_per_connection = 100;
  int max_connections = 1024;
  int max_connections_per_address = 512;
  // Memory of gRPC itself (buffers of all calls). Beyond it, new work is rejected.
  int64_t memory_quota_mb = 512;
  // Connections whose handshake takes longer are closed.
  double handshake_timeout_s = 5.0;
  // Clients that ping more often than this without data are rejected with GOAWAY.
  double min_ping_interval_s = 2.0;
  // Time between "not serving" and the drain, so that load balancers notice.
  double drain_delay_s = 0.2;
  // Time from the stop to the end of the last call.
  double drain_timeout_s = 8.0;
  // Limit of the flag. A program that sets it to more than 9 also calls Process::ForceAfter.
  double most_drain_timeout_s = 9;

  // Declares --listen (default: its current value), --allow-plaintext, certificates, --tokens and
  // the limits.
  void Declare(Flags& flags);
};

// Thread-safe, except Drain and Shutdown. The destructor shuts down immediately.
class GrpcHost {
 public:
  // Binds and serves. `services` must outlive the host. Errors: INVALID_ARGUMENT for an invalid
  // address, FAILED_PRECONDITION if it is not loopback and plain text is not allowed,
  // ALREADY_EXISTS if the port is in use, UNAVAILABLE if it cannot be bound for another reason.
  //
  // With `queues`, the caller serves from completion queues. It must take them, poll each on one
  // thread by service::QueueEvent, call Shutdown, and then shut the queues down and drain them
  // before this host is destroyed, because events from a queue still use the server. In return, no
  // other thread polls except the one that serves reflection and channelz, as long as no service
  // has callback methods.
  static absl::StatusOr<std::unique_ptr<GrpcHost>> Start(
      const GrpcHostOptions& options, const std::vector<grpc::Service*>& services, Logger log,
      int queues = 0);
  ~GrpcHost();
  GrpcHost(const GrpcHost&) = delete;
  GrpcHost& operator=(const GrpcHost&) = delete;

  int port() const;                    // 0 for a unix socket.
  const std::string& address() const;  // For dialling: "127.0.0.1:51000" or "unix:/run/x.sock".
  // Maps calls to their sockets.
  const ConnectionTable& connections() const;
  // Counts the calls that are served from the queues.
  CallCount* calls();
  // Returns all requested queues. Call once.
  std::vector<std::unique_ptr<grpc::ServerCompletionQueue>> TakeQueues();

  // Reports once that the process is ready: {"grpc_port": 51000} or {"grpc_address": "unix:..."} as
  // one line, flushed. The line also has "http_port" and "probes_port", ports of HttpHosts, unless
  // they are 0.
  void AnnounceReady(std::FILE* out = stdout, int http_port = 0, int probes_port = 0) const;
  // Sets the health status for the empty service name and for each service. Initially serving.
  void SetServing(bool serving);
  // Reports "not serving", waits for drain_delay_s, and calls `finish(budget_s)`, which must end
  // the calls properly within the budget. Then the server shuts down, and remaining calls are cut
  // after a second. Without `finish`, calls may continue until drain_timeout_s.
  void Drain(const std::function<void(double budget_s)>& finish);
  // Cuts all calls immediately, and returns when the counted ones have ended. May follow Drain. The
  // destructor does the same.
  void Shutdown();

 private:
  struct Impl;
  explicit GrpcHost(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Checks the health service at `address`. Returns 0 if it serves, otherwise 1, with a line on
// stdout. Connects like any client with the files `dialled`, if there are any; otherwise with the
// server's own files.
int CheckHealth(absl::string_view address, const rpc::TlsFiles& own,
                const rpc::TlsFiles& dialled = {}, double timeout_s = 3.0);

// Logs the status as an error, or writes it to standard error if the log is off. Returns 1, the
// exit code.
int Fail(const Logger& log, const absl::Status& status);
// The same for errors at the start: returns 2 for invalid settings (INVALID_ARGUMENT, NOT_FOUND,
// FAILED_PRECONDITION).
int FailToStart(const Logger& log, const absl::Status& status);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_GRPC_HOST_H_
