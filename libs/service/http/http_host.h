// An HTTP/1.1 and WebSocket server with all that Posewire processes share: limits, the plain-text
// rule, errors as JSON, the guard against foreign web pages, and the drain. With a certificate it
// accepts only TLS, and reports that to clients that use plain text.
//
//   absl::StatusOr<std::unique_ptr<service::HttpHost>> http = service::HttpHost::Start(
//       config.http,
//       {{"GET", "/streams", service::AtOnce(list)},
//        {"DELETE", "/streams/{stream_id}", remove},
//        {"GET", "/events", nullptr, &event_endpoint}},
//       log);
//   if (!http.ok()) return service::Fail(log, http.status());
//   (*grpc)->AnnounceReady(stdout, (*http)->port());
//   process.WaitForStop();
//   (*http)->Drain(2.0);
//
// Replies that the server makes itself, all as {"error": "..."}: 400 for invalid HTTP, 403 for a
// foreign page, 404 for an unknown path, 405 with Allow, 413 and 431 if too large, 426 if the path
// is a WebSocket, 500 if a handler throws, 503 over the limit of connections, 504 if a handler does
// not answer. HEAD is answered by GET's handler without the body; OPTIONS by the list of methods.
//
// The guard: a browser lets any page on the web call a server on the user's machine. Requests that
// change something and WebSockets with an Origin are accepted only from the server's own page and
// from `allowed_origins`. Host must be an address, "localhost", the name that the server listens
// on, one of `allowed_hosts` or the host of an allowed origin. Any other may come from a foreign
// page (DNS rebinding).
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_HTTP_HOST_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_HTTP_HOST_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/rpc/tls_files.h"
#include "libs/service/http/http_replies.h"
#include "libs/service/http/http_router.h"
#include "libs/service/http/web_socket.h"
#include "libs/service/logger.h"

namespace posewire::service {

class Flags;
struct GrpcHostOptions;

struct HttpOptions {
  // HOST:PORT or [V6]:PORT; port 0 selects a free one. Empty: no HTTP.
  std::string listen = {};
  // Address of the probes, see StartProbes. Empty: none.
  std::string probes = {};
  // Set from GrpcHostOptions, which declares the flags; see SpeakAs.
  bool allow_plaintext = false;
  // With a certificate, the server uses TLS; with a CA, it accepts only clients with a certificate
  // of that CA. Changed files are reloaded for new connections; existing connections continue.
  rpc::TlsFiles tls = {};
  // Use TLS if the gRPC server does.
  bool tls_with_grpc = true;
  // Names in addition to localhost by which clients may call this server, or "*".
  std::vector<std::string> allowed_hosts = {};
  // "https://example.org" as browsers send it, or "*". Pages of these origins may read replies
  // (CORS), make changes, and open WebSockets.
  std::vector<std::string> allowed_origins = {};
  int threads = 2;
  int max_header_bytes = 16 << 10;
  int max_body_bytes = 4 << 20;
  // Includes WebSockets. When all places are taken, a new connection replaces one that waits for a
  // request, longest wait first, or else one whose request is incomplete, or else one whose client
  // is slow to receive its reply. If all are busy or WebSockets, eight more connections are
  // accepted for routes with `when_full`; other requests on them get 503.
  int max_connections = 128;
  int max_websockets = 64;
  int max_websocket_message_bytes = 1 << 20;
  WebSocketQueueLimits websocket_queue = {};
  // Unsent bytes that the kernel may buffer per connection; 0: the kernel's default, which can be
  // megabytes. With a small value, WebSocket::queued_bytes shows sooner that a client is slow.
  int send_buffer_bytes = 0;
  // Time to receive a complete request. A reply may take any time, but the connection is closed if
  // the client receives nothing for this long.
  double transfer_timeout_s = 5.0;
  // How long a connection is kept without a request.
  double keep_alive_s = 30.0;
  // Time for a handler to answer.
  double handler_timeout_s = 10.0;
  // A WebSocket that received nothing for half of this is pinged, and closed after all of it.
  double websocket_idle_s = 20.0;

  // Counts replies; may be shared.
  std::shared_ptr<HttpReplies> replies = std::make_shared<HttpReplies>();

  // For errors that name a setting. Declare sets it.
  std::string program = "the server";

  // See GrpcHostOptions; used by /metrics. Null: there is no gRPC server.
  std::shared_ptr<const std::atomic<bool>> tokens_unusable = nullptr;

  // Copies the gRPC server's certificates, its plain-text permission, and the state of its tokens.
  void SpeakAs(const GrpcHostOptions& grpc);
  // Declares --http (default: its current value), --probes, --http-tls, --http-allow-host,
  // --http-allow-origin and the limits. `unless_given` is the default shown in the help.
  void Declare(Flags& flags, absl::string_view unless_given = "none");
};

// Thread-safe, except Drain, which must be called at most once. The destructor closes everything
// immediately; no handler or endpoint is called after it.
class HttpHost {
 public:
  // Binds and serves. A host name is bound at its first address, IPv4 before IPv6. Errors: those of
  // GrpcHost::Start, of CheckTlsFiles and of HttpRouter::Make; INVALID_ARGUMENT for a unix socket.
  static absl::StatusOr<std::unique_ptr<HttpHost>> Start(const HttpOptions& options,
                                                         std::vector<HttpRoute> routes, Logger log);
  ~HttpHost();
  HttpHost(const HttpHost&) = delete;
  HttpHost& operator=(const HttpHost&) = delete;

  int port() const;
  const std::string& address() const;  // "127.0.0.1:8020"
  // "http://127.0.0.1:8020", or https. Can be opened on this machine, even if the server listens on
  // all addresses.
  const std::string& url() const;
  int open_connections() const;
  // WebSockets that were closed because their queue was full.
  int64_t slow_websockets() const;

  // Accepts no new connections, closes idle ones, lets open requests finish, and sends 1001 (going
  // away) to WebSockets. Returns when all have ended; closes the rest after `budget_s`.
  void Drain(double budget_s);

 private:
  struct Impl;
  explicit HttpHost(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_HTTP_HOST_H_
