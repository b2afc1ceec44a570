#include "libs/service/http/http_connection.h"

#include <openssl/err.h>
#include <openssl/sslerr.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/read_size.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/service/http/bytes_taken.h"
#include "libs/service/http/http_head.h"
#include "libs/service/http/web_socket_connection.h"

namespace posewire::service::internal {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

namespace {

// Bytes per read: for a new request, and for the rest of one.
constexpr size_t kBlockBytes = 4096;
constexpr size_t kMostBlockBytes = 65536;

constexpr absl::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// Bytes and seconds for which a client may continue sending after the last reply.
constexpr size_t kLingerBytes = 16 << 20;
constexpr double kLingerS = 1.0;

std::string PeerName(const asio::ip::tcp::socket& socket) {
  boost::system::error_code error;
  const asio::ip::tcp::endpoint peer = socket.remote_endpoint(error);
  if (error) return "unknown";
  const std::string host = peer.address().to_string();
  return peer.address().is_v6() ? absl::StrCat("[", host, "]:", peer.port())
                                : absl::StrCat(host, ":", peer.port());
}

bool OnlyReads(absl::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

// Returns a client's text for an error: quoted, and cut after 200 bytes.
std::string Quoted(absl::string_view text) {
  constexpr size_t kMost = 200;
  return absl::StrCat("\"", text.substr(0, kMost), text.size() > kMost ? "..." : "", "\"");
}

absl::string_view View(beast::string_view text) { return {text.data(), text.size()}; }

std::string HeadText(const http::response<http::empty_body>& reply) {
  std::string text = absl::StrCat("HTTP/", reply.version() / 10, ".", reply.version() % 10, " ",
                                  reply.result_int(), " ", View(reply.reason()), "\r\n");
  for (const auto& field : reply) {
    absl::StrAppend(&text, View(field.name_string()), ": ", View(field.value()), "\r\n");
  }
  return text + "\r\n";
}

bool IsFieldText(const std::string& text) {
  return text.find_first_of("\r\n\0", 0, 3) == std::string::npos;
}

}  // namespace

void WriteAtOnce(const HttpReply& reply, asio::ip::tcp::socket& socket) {
  const std::string& body = reply.body.bytes();
  std::string text = absl::StrCat(
      "HTTP/1.1 ", reply.status, " ",
      View(http::obsolete_reason(static_cast<http::status>(reply.status))),
      "\r\nContent-Type: ", reply.content_type, "\r\nContent-Length: ", body.size(), "\r\n");
  for (const auto& [name, value] : reply.headers) absl::StrAppend(&text, name, ": ", value, "\r\n");
  absl::StrAppend(&text, "Connection: close\r\n\r\n", body);
  boost::system::error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(text), ignored);
}

HttpConnection::HttpConnection(HttpCore& core, HttpStream stream, HttpRoom room)
    : core_(core),
      room_(room),
      stream_(std::move(stream)),
      deadline_(stream_.get_executor()),
      // The parser keeps unparsed bytes here, and has no limit of its own for chunk extensions and
      // trailers.
      buffer_(static_cast<size_t>(core.options.max_header_bytes)) {}

HttpConnection::~HttpConnection() {
  if (id_ != 0) core_.Leave(id_);
}

template <typename Work>
HttpDone HttpConnection::Then(Work work) {
  return HttpDone(
      [self = shared_from_this(), work = std::move(work)](Error error, size_t size) mutable {
        const absl::Status status =
            CatchExceptions(self->core_.log, "http connection", [&] { work(*self, error, size); });
        if (!status.ok()) self->Close();
      });
}

void HttpConnection::Run() {
  id_ = core_.Enter(shared_from_this());
  if (id_ == 0) return;
  SetWait(HttpWait::kForRequest);
  request_.peer = PeerName(stream_.socket());
  Error ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  stream_.Post(Then([](HttpConnection& c, Error, size_t) { c.ShakeHands(); }));
}

void HttpConnection::Drain() {
  stream_.Post(Then([](HttpConnection& c, Error, size_t) {
    c.draining_ = true;
    if (c.wait_ == HttpWait::kForRequest) c.Close();
  }));
}

void HttpConnection::Cut() {
  stream_.Post(Then([](HttpConnection& c, Error, size_t) { c.Close(); }));
}

void HttpConnection::GiveWay() {
  stream_.Post(Then([](HttpConnection& c, Error, size_t) {
    if (c.wait_ != HttpWait::kNone) c.Close();
  }));
}

void HttpConnection::SetWait(HttpWait wait) {
  wait_ = wait;
  core_.SetWait(id_, wait);
}

void HttpConnection::ShakeHands() {
  if (!stream_.is_tls()) return AwaitRequest();
  stream_.ExpiresAfter(Milliseconds(core_.options.transfer_timeout_s));
  stream_.Handshake(Then([](HttpConnection& c, Error error, size_t) { c.OnHandshake(error); }));
}

void HttpConnection::OnHandshake(Error error) {
  if (!error) return AwaitRequest();
  const bool is_http =
      error.category() == asio::error::get_ssl_category() &&
      ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
  if (!is_http) {
    if (error != asio::error::eof && error != asio::ssl::error::stream_truncated) {
      core_.log.Warning("a TLS handshake failed",
                        {{"peer", request_.peer}, {"why", error.message()}});
    }
    return Close();
  }
  WriteAtOnce(HttpReply::Error(400, "this port speaks TLS: call it by https:// or wss://"),
              stream_.socket());
  core_.options.replies->Count(400);
  LingerBelowTls();
}

void HttpConnection::AwaitRequest() {
  if (draining_) return Close();
  if (buffer_.size() > 0) return ReadHeader();
  SetWait(HttpWait::kForRequest);
  const HttpOptions& options = core_.options;
  stream_.ExpiresAfter(Milliseconds(first_ ? options.transfer_timeout_s : options.keep_alive_s));
  first_ = false;
  stream_.ReadSome(buffer_.prepare(std::min(kBlockBytes, buffer_.max_size())),
                   Then([](HttpConnection& c, Error error, size_t size) {
                     if (error) return c.Close();
                     c.buffer_.commit(size);
                     c.ReadHeader();
                   }));
}

void HttpConnection::ReadHeader() {
  SetWait(HttpWait::kForItsRest);
  std::string peer = std::move(request_.peer);
  request_ = {};
  request_.peer = std::move(peer);
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(core_.options.max_header_bytes));
  parser_->body_limit(static_cast<uint64_t>(core_.options.max_body_bytes));
  // The whole request must arrive within this time, not only each part of it.
  stream_.ExpiresAfter(Milliseconds(core_.options.transfer_timeout_s));
  Parse();
}

void HttpConnection::OnHeader() {
  // Done before the body is read, because the body's trailer is not part of the head.
  const http::request<Body>& in = parser_->get();
  request_.method = std::string(View(in.method_string()));
  request_.target = std::string(View(in.target()));
  for (const auto& field : in) {
    request_.headers.emplace_back(absl::AsciiStrToLower(View(field.name_string())),
                                  std::string(View(field.value())));
  }
  if (auto rejection = RejectHead(static_cast<int>(in.version() % 10), request_.headers)) {
    return Reject(*std::move(rejection));
  }
  if (parser_->is_done() ||
      !absl::EqualsIgnoreCase(View(parser_->get()[http::field::expect]), "100-continue")) {
    return ReadBody();
  }
  stream_.Write(asio::buffer(kContinue.data(), kContinue.size()), {},
                Then([](HttpConnection& c, Error error, size_t) {
                  if (error) return c.Close();
                  c.ReadBody();
                }));
}

void HttpConnection::ReadBody() {
  parser_->eager(true);
  Parse();
}

void HttpConnection::Parse() {
  const bool whole = parser_->eager();
  while (!(whole ? parser_->is_done() : parser_->is_header_done())) {
    if (buffer_.size() == 0) return ReadMore();
    Error error;
    buffer_.consume(parser_->put(buffer_.data(), error));
    if (error == http::error::need_more) return ReadMore();
    if (error) return OnBadRequest(error);
  }
  whole ? Handle() : OnHeader();
}

void HttpConnection::ReadMore() {
  const size_t size = beast::read_size(buffer_, kMostBlockBytes);
  if (size == 0) return OnBadRequest(http::error::buffer_overflow);
  stream_.ReadSome(buffer_.prepare(size), Then([](HttpConnection& c, Error error, size_t got) {
                     if (error) return c.Close();
                     c.buffer_.commit(got);
                     c.Parse();
                   }));
}

void HttpConnection::OnBadRequest(Error error) {
  HttpReply reply;
  if (error == http::error::body_limit) {
    reply =
        HttpReply::Error(413, absl::StrCat("the body is larger than ", core_.options.max_body_bytes,
                                           " bytes; --http-max-body-bytes takes more"));
  } else if (error == http::error::header_limit) {
    reply = HttpReply::Error(
        431, absl::StrCat("the header is larger than ", core_.options.max_header_bytes, " bytes"));
  } else if (error == http::error::buffer_overflow) {
    reply =
        HttpReply::Error(431, absl::StrCat("the extension of a chunk, or the trailer, is larger "
                                           "than ",
                                           core_.options.max_header_bytes, " bytes"));
  } else {
    reply =
        HttpReply::Error(400, absl::StrCat("this is not an HTTP/1.1 request: ", error.message()));
  }
  Reject(std::move(reply));
}

void HttpConnection::Reject(HttpReply reply) {
  SetWait(HttpWait::kNone);
  draining_ = true;
  began_ = std::chrono::steady_clock::now();
  Write(std::move(reply));
}

void HttpConnection::Handle() {
  SetWait(HttpWait::kNone);
  if (room_ == HttpRoom::kProbes) draining_ = true;
  began_ = std::chrono::steady_clock::now();
  request_.body = std::move(parser_->get().body());
  if (std::optional<HttpReply> rejection = RejectForeign()) return Write(*std::move(rejection));
  if (request_.method == "OPTIONS" && request_.target == "*") return Write({.status = 204});
  absl::StatusOr<HttpTarget> target = ParseHttpTarget(request_.target);
  if (!target.ok()) return Write(HttpReply::Error(target.status()));
  request_.query = std::move(target->query);
  HttpRouter::Match match = core_.router.Find(request_.method, target->segments);
  request_.path = std::move(match.path);
  HandOver(match);
}

void HttpConnection::HandOver(const HttpRouter::Match& match) {
  if (room_ == HttpRoom::kProbes && (match.route == nullptr || !match.route->when_full)) {
    return Write(core_.AllAtWork());
  }
  if (match.allowed.empty()) {
    return Write(HttpReply::Error(404, "there is nothing at this path"));
  }
  if (match.route == nullptr && request_.method == "OPTIONS") {
    return Write(AnswerOptions(match.allowed));
  }
  if (match.route == nullptr) {
    const std::string allowed = absl::StrJoin(match.allowed, ", ");
    HttpReply reply = HttpReply::Error(
        405, absl::StrCat("this path does not take this method; it takes ", allowed));
    reply.headers.emplace_back("Allow", allowed);
    return Write(std::move(reply));
  }
  if (match.route->admit) {
    if (absl::Status s = match.route->admit(request_); !s.ok()) return Write(HttpReply::Error(s));
  }
  if (match.route->web_socket == nullptr) return CallHandler(match.route->handler);
  if (upgrade()) return OpenWebSocket(match.route->web_socket);
  HttpReply reply = HttpReply::Error(426, "this path serves a WebSocket");
  reply.headers.emplace_back("Upgrade", "websocket");
  Write(std::move(reply));
}

bool HttpConnection::upgrade() const {
  return request_.method == "GET" && beast::websocket::is_upgrade(parser_->get());
}

std::optional<HttpReply> HttpConnection::RejectForeign() const {
  const absl::string_view named = TargetAuthority(request_.target);
  const absl::string_view host = named.empty() ? request_.Header("host") : named;
  if (!core_.guard.HostIsOurs(host)) {
    return HttpReply::Error(
        403, absl::StrCat("the Host ", Quoted(host),
                          " is no name of this server; call it by its IP address, or start ",
                          core_.options.program, " with --http-allow-host and that name"));
  }
  if (OnlyReads(request_.method) && !upgrade()) return std::nullopt;
  const absl::string_view origin = request_.Header("origin");
  if (core_.guard.MayCall(origin, host)) return std::nullopt;
  return HttpReply::Error(
      403, absl::StrCat("pages of the Origin ", Quoted(origin),
                        " may not call this server; to let them, start ", core_.options.program,
                        " with --http-allow-origin and that origin"));
}

HttpReply HttpConnection::AnswerOptions(const std::vector<std::string>& allowed) const {
  HttpReply reply{.status = 204};
  const std::string methods = absl::StrJoin(allowed, ", ");
  reply.headers.emplace_back("Allow", methods);
  if (!core_.guard.IsAllowed(request_.Header("origin"))) return reply;
  reply.headers.emplace_back("Access-Control-Allow-Methods", methods);
  const absl::string_view asked = request_.Header("access-control-request-headers");
  if (!asked.empty()) {
    reply.headers.emplace_back("Access-Control-Allow-Headers", std::string(asked));
  }
  reply.headers.emplace_back("Access-Control-Max-Age", "600");
  return reply;
}

void HttpConnection::OpenWebSocket(WebSocketEndpoint* endpoint) {
  if (core_.websockets >= core_.options.max_websockets) {
    const std::string why = absl::StrCat("there are ", core_.options.max_websockets,
                                         " WebSockets already; --http-max-websockets of ",
                                         core_.options.program, " allows more");
    core_.log.Warning("a WebSocket was refused", {{"why", why}});
    return Write(HttpReply::Error(503, why));
  }
  auto connection = std::make_shared<WebSocketConnection>(core_, std::move(stream_), endpoint);
  connection->Run(parser_->release(), std::move(request_));
}

void HttpConnection::CallHandler(const HttpHandler& handler) {
  slot_ = std::make_shared<Slot>();
  slot_->waiting = this;
  stream_.ExpiresNever();
  deadline_.expires_after(Milliseconds(core_.options.handler_timeout_s));
  // While the slot names this connection, this wait keeps it and its executor alive.
  deadline_.async_wait(Then([slot = slot_](HttpConnection& c, Error error, size_t) {
    if (error || slot != c.slot_) return;
    c.StopWaiting();
    c.Write(HttpReply::Error(
        504, absl::StrCat("no answer within ", c.core_.options.handler_timeout_s, " s")));
  }));
  const HttpReplier replier([slot = slot_](HttpReply reply) {
    std::lock_guard<std::mutex> lock(slot->mutex);
    if (slot->waiting == nullptr) return;
    HttpConnection* connection = std::exchange(slot->waiting, nullptr);
    connection->stream_.Post(connection->Then(
        [slot, reply = std::move(reply)](HttpConnection& c, Error, size_t) mutable {
          if (slot != c.slot_) return;
          c.StopWaiting();
          c.Write(std::move(reply));
        }));
  });
  const absl::Status status =
      CatchExceptions(core_.log, "http handler", [&] { handler(request_, replier); });
  if (!status.ok()) replier(HttpReply::Error(500, status.message()));
}

void HttpConnection::StopWaiting() {
  if (slot_ == nullptr) return;
  {
    std::lock_guard<std::mutex> lock(slot_->mutex);
    slot_->waiting = nullptr;
  }
  slot_ = nullptr;
  deadline_.cancel();
}

void HttpConnection::SetHeaders(const HttpReply& reply, Response* response) const {
  response->set("X-Content-Type-Options", "nosniff");
  response->set(http::field::cache_control, "no-store");
  if (!core_.options.allowed_origins.empty()) response->set(http::field::vary, "Origin");
  const std::string origin(request_.Header("origin"));
  if (!origin.empty() && core_.guard.IsAllowed(origin) && IsFieldText(origin)) {
    response->set(http::field::access_control_allow_origin, origin);
  }
  for (const auto& [name, value] : reply.headers) {
    if (IsFieldText(name) && IsFieldText(value)) {
      response->set(beast::string_view(name.data(), name.size()), value);
    }
  }
}

void HttpConnection::Write(HttpReply reply) {
  core_.options.replies->Count(reply.status);
  const bool has_body = reply.status >= 200 && reply.status != 204 && reply.status != 304;
  const bool keep = !draining_ && !core_.ending() && parser_->keep_alive();
  Response response(static_cast<http::status>(reply.status), parser_->get().version());
  SetHeaders(reply, &response);
  response.keep_alive(keep);
  const double took_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  core_.log.Debug("http request", {{"method", request_.method},
                                   {"target", request_.target},
                                   {"status", reply.status},
                                   {"took_s", took_s},
                                   {"peer", request_.peer}});
  asio::const_buffer body;
  if (has_body) {
    response.set(http::field::content_type, reply.content_type);
    body_ = std::move(reply.body);
    response.content_length(body_->bytes().size());
    if (request_.method != "HEAD") body = asio::buffer(body_->bytes());
  }
  head_ = HeadText(response);
  ++replies_;
  writing_ = true;
  taken_bytes_ = BytesTaken(stream_.socket().native_handle());
  stream_.ExpiresNever();
  WatchProgress();
  stream_.Write(asio::buffer(head_), body,
                Then([keep](HttpConnection& c, Error error, size_t) { c.OnWritten(error, keep); }));
}

void HttpConnection::OnWritten(Error error, bool keep) {
  writing_ = false;
  deadline_.cancel();
  body_.reset();
  if (error) return Close();
  if (!keep) return Linger();
  AwaitRequest();
}

void HttpConnection::WatchProgress() {
  deadline_.expires_after(Milliseconds(core_.options.transfer_timeout_s));
  deadline_.async_wait(Then([reply = replies_](HttpConnection& c, Error error, size_t) {
    if (error || !c.writing_ || reply != c.replies_) return;
    const uint64_t taken = BytesTaken(c.stream_.socket().native_handle());
    if (std::exchange(c.taken_bytes_, taken) == taken) return c.Close();
    c.SetWait(HttpWait::kForReader);
    c.WatchProgress();
  }));
}

void HttpConnection::Linger() {
  SetWait(HttpWait::kForItsRest);
  if (!stream_.is_tls()) return LingerBelowTls();
  stream_.ExpiresAfter(Milliseconds(kLingerS));
  // Any result will do: a client that is still sending does not complete the TLS shutdown.
  stream_.Shutdown(Then([](HttpConnection& c, Error, size_t) { c.LingerBelowTls(); }));
}

void HttpConnection::LingerBelowTls() {
  SetWait(HttpWait::kForItsRest);
  Error error;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, error);
  if (error) return Close();
  stream_.ExpiresAfter(Milliseconds(kLingerS));
  ReadAway(kLingerBytes);
}

void HttpConnection::ReadAway(size_t left) {
  buffer_.clear();
  stream_.ReadSomeOfTcp(buffer_.prepare(buffer_.max_size()),
                        Then([left](HttpConnection& c, Error error, size_t size) {
                          if (error || size >= left) return c.Close();
                          c.ReadAway(left - size);
                        }));
}

void HttpConnection::Close() {
  StopWaiting();
  stream_.Close();
}

}  // namespace posewire::service::internal
