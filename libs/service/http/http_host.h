// An HTTP/1.1 and WebSocket server with what every Posewire process shares: limits, the plain-text
// rule, errors as JSON, the guard against foreign web pages, and the drain. With a certificate it
// speaks TLS alone, and says so to who comes in plain text.
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
// What it answers by itself, all as {"error": "..."}: 400 for what is no HTTP, 403 for a foreign
// page, 404 for an unknown path, 405 with Allow, 413 and 431 for too much, 426 where only a
// WebSocket is served, 500 when a handler throws, 503 over the limit of connections, 504 when a
// handler does not answer.
// HEAD is answered by GET's handler without the body; OPTIONS by the list of methods.
//
// The guard: a browser lets any page on the web call a server on the user's machine. Requests that
// change something and WebSockets with an Origin are taken only from the server's own page and from
// `allowed_origins`. A Host must be an address, "localhost", the name that is listened on, one of
// `allowed_hosts` or that of an allowed origin: any other may lead here from a foreign page (DNS
// rebinding).
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
  // HOST:PORT or [V6]:PORT; port 0 takes a free one. Empty: no HTTP.
  std::string listen = {};
  // As of GrpcHostOptions, which declares the flags: see SpeakAs.
  bool allow_plaintext = false;
  // With a certificate TLS is spoken; with a CA, to clients with a certificate of its alone. The
  // files are looked at again while connections come; those that are open stay.
  rpc::TlsFiles tls = {};
  // Speaks TLS where the gRPC server does.
  bool tls_with_grpc = true;
  // Names besides localhost by which clients may call this server, or "*".
  std::vector<std::string> allowed_hosts = {};
  // "https://example.org" as browsers send it, or "*". Their pages may read replies (CORS), call
  // what changes things, and open WebSockets.
  std::vector<std::string> allowed_origins = {};
  int threads = 2;
  int max_header_bytes = 16 << 10;
  int max_body_bytes = 4 << 20;
  // WebSockets among them. When all places are taken, a new connection takes that of one that waits
  // for a request, the longest wait first, or else of one whose request has not come whole, or else
  // of one whose client is slow to take its reply. When all are at work, or WebSockets, eight more
  // may come, for routes with `when_full`; all else is answered 503 there.
  int max_connections = 128;
  int max_websockets = 64;
  int max_websocket_message_bytes = 1 << 20;
  WebSocketQueueLimits websocket_queue = {};
  // What the kernel may hold unsent for a connection; 0: as it likes, which can be megabytes. A
  // small value lets WebSocket::queued_bytes show soon that a client is slow.
  int send_buffer_bytes = 0;
  // For a request to come in whole. A reply may take as long as it likes, but a client that takes
  // nothing of it for so long is closed.
  double transfer_timeout_s = 5.0;
  // For a connection to be kept without a request.
  double keep_alive_s = 30.0;
  // For a handler to answer.
  double handler_timeout_s = 10.0;
  // A WebSocket from which nothing came for half of this is pinged, and cut after the whole.
  double websocket_idle_s = 20.0;

  // Counts what it answers; may be shared.
  std::shared_ptr<HttpReplies> replies = std::make_shared<HttpReplies>();

  // For errors that name a setting; Declare sets it.
  std::string program = "the server";

  // As of GrpcHostOptions, for /metrics; null: there is no gRPC server.
  std::shared_ptr<const std::atomic<bool>> tokens_unusable = nullptr;

  // Takes over by which certificates the gRPC server speaks, or that plain text will do, and the
  // state of its tokens.
  void SpeakAs(const GrpcHostOptions& grpc);
  // Declares --http (default as set now), --http-tls, --http-allow-host, --http-allow-origin and
  // the limits.
  // `unless_given` is for the help: where it listens then.
  void Declare(Flags& flags, absl::string_view unless_given = "none");
};

// Thread-safe but for Drain, which is called once. The destructor cuts everything at once; no
// handler or endpoint is called after it.
class HttpHost {
 public:
  // Binds and serves. A host name is bound at its first address, IPv4 before IPv6. Errors: those
  // of GrpcHost::Start, of CheckTlsFiles and of HttpRouter::Make; INVALID_ARGUMENT for a unix
  // socket.
  static absl::StatusOr<std::unique_ptr<HttpHost>> Start(const HttpOptions& options,
                                                         std::vector<HttpRoute> routes, Logger log);
  ~HttpHost();
  HttpHost(const HttpHost&) = delete;
  HttpHost& operator=(const HttpHost&) = delete;

  int port() const;
  const std::string& address() const;  // "127.0.0.1:8020"
  // "http://127.0.0.1:8020", or https: can be opened here, also where it listens on all addresses.
  const std::string& url() const;
  int open_connections() const;
  // WebSockets that were cut because their queue was full.
  int64_t slow_websockets() const;

  // Takes no new connection, closes idle ones, lets open requests be answered, and says 1001
  // (going away) to WebSockets. Returns when all have gone, or cuts them after `budget_s`.
  void Drain(double budget_s);

 private:
  struct Impl;
  explicit HttpHost(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_HTTP_HOST_H_
