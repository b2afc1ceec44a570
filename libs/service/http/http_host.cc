#include "libs/service/http/http_host.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/service/address.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/flags/flags.h"
#include "libs/service/grpc_host.h"
#include "libs/service/http/http_connection.h"
#include "libs/service/http/http_core.h"
#include "libs/service/http/tls_context.h"

namespace posewire::service {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;
using Clock = std::chrono::steady_clock;

void HttpOptions::SpeakAs(const GrpcHostOptions& grpc) {
  allow_plaintext = grpc.allow_plaintext;
  tls = tls_with_grpc ? grpc.tls : rpc::TlsFiles{};
  tokens_unusable = grpc.tokens_unusable;
}

void HttpOptions::Declare(Flags& flags, absl::string_view unless_given) {
  program = flags.info().name;
  const auto check = [](absl::string_view text) {
    return text.empty() ? absl::OkStatus() : ParseListenAddress(text).status();
  };
  flags.Group("HTTP");
  flags.Add("http", &listen,
            absl::StrCat("Address of the HTTP server, with /healthz and /metrics. Port 0: a free "
                         "one. Unless given: ",
                         unless_given, "."),
            {.value_name = "HOST:PORT", .check = check});
  flags.Add("probes", &probes,
            "Address with only /healthz, /readyz and /metrics, for a kubelet and Prometheus: plain "
            "text on any network, without certificate and token.",
            {.value_name = "HOST:PORT", .check = check});
  flags.Add("http-tls", &tls_with_grpc,
            "With --tls-cert, HTTP speaks TLS too, and with --tls-client-ca requires client "
            "certificates. --no-http-tls: plain text, for clients on this machine.");
  flags.Add("http-allow-host", &allowed_hosts,
            "Name by which clients may call the HTTP server, besides its addresses; * allows all.",
            {.value_name = "NAME", .check = [](absl::string_view text) {
               return IsHostName(text) ? absl::OkStatus()
                                       : absl::InvalidArgumentError(absl::StrCat(
                                             "\"", text,
                                             "\" is not a name like avatars.example.org, which "
                                             "stands without http:// and without a port, or *"));
             }});
  flags.Add("http-allow-origin", &allowed_origins,
            "Web pages of this origin may call the HTTP server; * lets in all.",
            {.value_name = "ORIGIN", .check = [](absl::string_view text) {
               return IsOrigin(text) ? absl::OkStatus()
                                     : absl::InvalidArgumentError(absl::StrCat(
                                           "\"", text, "\" is not like https://example.org or *"));
             }});
  flags.Add("http-threads", &threads, "Threads of the HTTP server.",
            {.min = 1, .max = 64, .rare = true});
  flags.Add("http-max-body-bytes", &max_body_bytes, "Largest body that is accepted.",
            {.min = 1024, .max = 1 << 30, .rare = true});
  flags.Add("http-max-connections", &max_connections, "HTTP connections at once.",
            {.min = 1, .max = 100'000, .rare = true});
  flags.Add("http-max-websockets", &max_websockets, "WebSockets at once.",
            {.min = 0, .max = 100'000, .rare = true});
  flags.Add("http-max-websocket-message-bytes", &max_websocket_message_bytes,
            "Largest message of a WebSocket that is accepted.",
            {.min = 125, .max = 1 << 30, .rare = true});
  flags.Add("http-transfer-timeout-s", &transfer_timeout_s,
            "Seconds in which a request must arrive whole, and the longest that a client may read "
            "nothing of its reply.",
            {.min = 0.1, .max = 600, .rare = true});
}

struct HttpHost::Impl {
  Impl(HttpOptions options, HttpRouter router, HttpGuard guard, Logger log)
      : core(std::move(options), std::move(router), std::move(guard), std::move(log)),
        context(core.options.threads),
        work(context.get_executor()),
        strand(asio::make_strand(context)),
        acceptor(strand),
        pause(strand) {}

  absl::Status Listen(const ListenAddress& address);
  void Accept();
  void PauseAccepting(Error error);
  void Take(tcp::socket socket);
  void TurnAway(tcp::socket socket) const;
  void StopAccepting();

  internal::HttpCore core;
  std::unique_ptr<internal::TlsContext> tls;  // none: plain text; used on the strand
  asio::io_context context;
  asio::executor_work_guard<asio::io_context::executor_type> work;
  asio::strand<asio::io_context::executor_type> strand;
  tcp::acceptor acceptor;
  asio::steady_timer pause;  // After a failed accept.
  std::vector<std::thread> threads;
  int port = 0;
  std::string address;
  std::string url;
};

absl::Status HttpHost::Impl::Listen(const ListenAddress& address) {
  Error error;
  tcp::resolver resolver(context);
  const auto found =
      resolver.resolve(address.host, absl::StrCat(address.port), tcp::resolver::passive, error);
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat("host of ", address.ToString(), " is unknown: ", error.message()));
  }
  std::optional<tcp::endpoint> first;
  for (const auto& entry : found) {
    if (!first || (first->address().is_v6() && entry.endpoint().address().is_v4())) {
      first = entry.endpoint();
    }
  }
  if (first) acceptor.open(first->protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(*first, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", address.ToString(), ": ", error.message()));
  }
  port = acceptor.local_endpoint(error).port();
  ListenAddress bound = address;
  bound.port = port;
  this->address = bound.ToString();
  url = absl::StrCat(tls != nullptr ? "https://" : "http://", bound.CallableText());
  return absl::OkStatus();
}

void HttpHost::Impl::Accept() {
  acceptor.async_accept(asio::make_strand(context), [this](Error error, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (error) return PauseAccepting(error);
    // A connection that cannot be accepted is closed, and the next one is awaited.
    (void)CatchExceptions(core.log, "http accept", [&] { Take(std::move(socket)); });
    Accept();
  });
}

// Descriptors have most likely run out. They become available when connections end.
void HttpHost::Impl::PauseAccepting(Error error) {
  core.log.Warning("cannot accept", {{"error", error.message()}});
  pause.expires_after(std::chrono::milliseconds(100));
  pause.async_wait([this](Error stopped) {
    if (!stopped && acceptor.is_open()) Accept();
  });
}

void HttpHost::Impl::Take(tcp::socket socket) {
  if (core.options.send_buffer_bytes > 0) {
    Error ignored;
    socket.set_option(asio::socket_base::send_buffer_size(core.options.send_buffer_bytes), ignored);
  }
  const internal::HttpRoom room = core.MakeRoom();
  if (room == internal::HttpRoom::kNone) return TurnAway(std::move(socket));
  internal::HttpStream stream =
      tls == nullptr ? internal::HttpStream(std::move(socket))
                     : internal::HttpStream(std::move(socket), tls->At(Clock::now()));
  std::make_shared<internal::HttpConnection>(core, std::move(stream), room)->Run();
}

void HttpHost::Impl::TurnAway(tcp::socket socket) const {
  const HttpReply reply = core.AllAtWork();
  core.options.replies->Count(reply.status);
  // With TLS, a reply would first need a handshake, for which there is no room.
  if (tls == nullptr) internal::WriteAtOnce(reply, socket);
}

void HttpHost::Impl::StopAccepting() {
  asio::post(strand, [this] {
    Error ignored;
    acceptor.close(ignored);
    pause.cancel();
  });
}

HttpHost::HttpHost(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

absl::StatusOr<std::unique_ptr<HttpHost>> HttpHost::Start(const HttpOptions& options,
                                                          std::vector<HttpRoute> routes,
                                                          Logger log) {
  absl::StatusOr<ListenAddress> address = ParseListenAddress(options.listen);
  if (!address.ok()) return address.status();
  if (!address->unix_path.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.listen, ": HTTP is served on HOST:PORT only"));
  }
  if (absl::Status s = CheckPlaintext(*address, options.allow_plaintext || options.tls.any());
      !s.ok()) {
    return s;
  }
  if (absl::Status s = ProbeBind(*address); !s.ok()) return s;
  absl::StatusOr<HttpRouter> router = HttpRouter::Make(std::move(routes));
  if (!router.ok()) return router.status();
  HttpGuard guard{.own_host = address->host,
                  .allowed_hosts = options.allowed_hosts,
                  .allowed_origins = options.allowed_origins};
  auto impl = std::make_unique<Impl>(options, *std::move(router), std::move(guard), std::move(log));
  if (options.tls.any()) {
    auto tls = internal::TlsContext::Open(options.tls, impl->core.log);
    if (!tls.ok()) return tls.status();
    impl->tls = *std::move(tls);
  }
  if (absl::Status s = impl->Listen(*address); !s.ok()) return s;
  asio::post(impl->strand, [impl = impl.get()] { impl->Accept(); });
  for (int i = 0; i < options.threads; ++i) {
    impl->threads.emplace_back([impl = impl.get()] {
      CatchExceptionsInLoop(impl->core.log, "http thread", [impl] { impl->context.run(); });
    });
  }
  impl->core.log.Info("listening for HTTP", {{"address", impl->address}, {"url", impl->url}});
  return std::unique_ptr<HttpHost>(new HttpHost(std::move(impl)));
}

HttpHost::~HttpHost() {
  impl_->StopAccepting();
  for (const auto& member : impl_->core.End()) member->Cut();
  impl_->work.reset();
  for (std::thread& thread : impl_->threads) thread.join();
}

int HttpHost::port() const { return impl_->port; }
const std::string& HttpHost::address() const { return impl_->address; }
const std::string& HttpHost::url() const { return impl_->url; }
int HttpHost::open_connections() const { return impl_->core.open(); }
int64_t HttpHost::slow_websockets() const { return impl_->core.slow_websockets; }

void HttpHost::Drain(double budget_s) {
  impl_->StopAccepting();
  for (const auto& member : impl_->core.End()) member->Drain();
  if (impl_->core.WaitUntilEmpty(std::chrono::duration<double>(budget_s))) return;
  impl_->core.log.Warning("http connections cut at the end of the drain",
                          {{"open", impl_->core.open()}});
  for (const auto& member : impl_->core.End()) member->Cut();
}

}  // namespace posewire::service
