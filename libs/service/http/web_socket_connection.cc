#include "libs/service/http/web_socket_connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <utility>

namespace posewire::service::internal {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

WebSocketConnection::WebSocketConnection(HttpCore& core, HttpStream stream,
                                         WebSocketEndpoint* endpoint)
    : core_(core), endpoint_(endpoint), stream_(std::move(stream)) {
  ++core_.websockets;
}

WebSocketConnection::~WebSocketConnection() {
  --core_.websockets;
  if (id_ != 0) core_.Leave(id_);
}

template <typename Work>
HttpDone WebSocketConnection::Then(Work work) {
  return HttpDone([self = shared_from_this(), work = std::move(work)](Error error, size_t) {
    const absl::Status status =
        CatchExceptions(self->core_.log, "web socket", [&] { work(*self, error); });
    if (!status.ok()) self->Finish();
  });
}

bool WebSocketConnection::Run(Upgrade upgrade, HttpRequest request) {
  id_ = core_.Enter(shared_from_this());
  if (id_ == 0) return false;
  upgrade_ = std::move(upgrade);
  // These are called with the socket's own lock held, and never after Detach.
  WebSocket::Wires wires{
      .send = [this](std::shared_ptr<const std::string> bytes,
                     bool is_text) { return Send(std::move(bytes), is_text); },
      .queued_bytes = [this] { return QueuedBytes(); },
      .close = [this](int code, std::string reason) { Close(code, std::move(reason)); }};
  socket_ = std::make_shared<WebSocket>(id_, std::move(request), std::move(wires));
  const HttpOptions& options = core_.options;
  stream_.next_layer().ExpiresNever();
  stream_.set_option(
      websocket::stream_base::timeout{.handshake_timeout = Milliseconds(options.transfer_timeout_s),
                                      .idle_timeout = Milliseconds(options.websocket_idle_s),
                                      .keep_alive_pings = true});
  stream_.read_message_max(static_cast<size_t>(options.max_websocket_message_bytes));
  stream_.auto_fragment(false);  // One frame per message, for simple clients.
  stream_.async_accept(upgrade_,
                       Then([](WebSocketConnection& c, Error error) { c.OnAccept(error); }));
  return true;
}

void WebSocketConnection::Tell(absl::FunctionRef<void()> call) {
  const absl::Status status = CatchExceptions(core_.log, "web socket endpoint", call);
  if (status.ok()) return;
  socket_->Close(static_cast<int>(websocket::close_code::internal_error), status.message());
}

void WebSocketConnection::OnAccept(Error error) {
  if (error || finished_) return Finish();
  open_ = true;
  Tell([this] { endpoint_->OnOpen(socket_); });
  Read();
  WriteNext();
}

void WebSocketConnection::Read() {
  stream_.async_read(buffer_, Then([](WebSocketConnection& c, Error error) { c.OnRead(error); }));
}

void WebSocketConnection::OnRead(Error error) {
  if (error || finished_) return Finish();
  std::string message = beast::buffers_to_string(buffer_.data());
  buffer_.consume(buffer_.size());
  Tell([&] { endpoint_->OnMessage(socket_, std::move(message), stream_.got_text()); });
  Read();
}

bool WebSocketConnection::Send(std::shared_ptr<const std::string> bytes, bool is_text) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (close_asked_ || overflown_) return false;
  const WebSocketQueueLimits& limits = core_.options.websocket_queue;
  if (queue_.size() >= limits.messages || queued_bytes_ + bytes->size() > limits.bytes) {
    overflown_ = true;
    ++core_.slow_websockets;
    Cut();
    return false;
  }
  queued_bytes_ += bytes->size();
  queue_.push_back({std::move(bytes), is_text});
  if (!writing_) {
    writing_ = true;
    stream_.next_layer().Post(Then([](WebSocketConnection& c, Error) { c.WriteNext(); }));
  }
  return true;
}

size_t WebSocketConnection::QueuedBytes() {
  std::lock_guard<std::mutex> lock(mutex_);
  return queued_bytes_;
}

void WebSocketConnection::Close(int code, std::string reason) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (close_asked_) return;
  close_asked_ = true;
  // The maximum length in a close frame.
  if (reason.size() > 123) reason.resize(123);
  reason_ = websocket::close_reason(static_cast<websocket::close_code>(code), reason);
  if (!writing_) {
    writing_ = true;
    stream_.next_layer().Post(Then([](WebSocketConnection& c, Error) { c.WriteNext(); }));
  }
}

void WebSocketConnection::WriteNext() {
  if (finished_) return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (!queue_.empty()) {
    stream_.text(queue_.front().is_text);
    stream_.async_write(asio::buffer(*queue_.front().bytes),
                        Then([](WebSocketConnection& c, Error error) {
                          if (error) return c.Finish();
                          {
                            std::lock_guard<std::mutex> inner(c.mutex_);
                            c.queued_bytes_ -= c.queue_.front().bytes->size();
                            c.queue_.pop_front();
                          }
                          c.WriteNext();
                        }));
    return;
  }
  if (!close_asked_) {
    writing_ = false;
    return;
  }
  if (close_begun_) return;
  close_begun_ = true;
  stream_.async_close(reason_, Then([](WebSocketConnection& c, Error) { c.Finish(); }));
}

void WebSocketConnection::Drain() {
  socket_->Close(static_cast<int>(websocket::close_code::going_away), "the server is stopping");
}

void WebSocketConnection::Cut() {
  stream_.next_layer().Post(Then([](WebSocketConnection& c, Error) { c.Finish(); }));
}

void WebSocketConnection::Finish() {
  if (finished_) return;
  finished_ = true;
  // After this no other thread refers to the connection, and pending I/O ends with an error.
  socket_->Detach();
  if (overflown_) {
    core_.log.Warning("web socket cut: the client does not keep up",
                      {{"peer", socket_->request().peer}, {"target", socket_->request().target}});
  }
  stream_.next_layer().Close();
  if (open_) Tell([this] { endpoint_->OnClose(socket_); });
}

}  // namespace posewire::service::internal
