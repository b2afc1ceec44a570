// One WebSocket connection. Internal to libs/service.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_WEB_SOCKET_CONNECTION_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_WEB_SOCKET_CONNECTION_H_

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "absl/functional/function_ref.h"
#include "libs/service/http/http_core.h"
#include "libs/service/http/http_stream.h"

namespace posewire::service::internal {

// Reads messages for its endpoint and writes its queue. Everything except Send, Close, Drain and
// Cut runs on the strand of its socket.
class WebSocketConnection : public HttpMember,
                            public std::enable_shared_from_this<WebSocketConnection> {
 public:
  using Upgrade = boost::beast::http::request<boost::beast::http::string_body>;
  WebSocketConnection(HttpCore& core, HttpStream stream, WebSocketEndpoint* endpoint);
  ~WebSocketConnection() override;

  // Accepts the upgrade. Returns false, and does nothing, if the host is ending.
  bool Run(Upgrade upgrade, HttpRequest request);
  void Drain() override;
  void Cut() override;

 private:
  using Error = boost::system::error_code;
  // Returns a completion handler that calls `work` with this connection and keeps the connection
  // alive until then. If `work` throws, the connection ends.
  template <typename Work>
  HttpDone Then(Work work);
  // Calls the endpoint. If it throws, closes with 1011, a server error.
  void Tell(absl::FunctionRef<void()> call);
  void OnAccept(Error error);
  void Read();
  void OnRead(Error error);
  // Returns false if the queue is over its bounds; the connection is then closed.
  bool Send(std::shared_ptr<const std::string> bytes, bool is_text);
  size_t QueuedBytes();
  void Close(int code, std::string reason);
  // Writes the next message of the queue, or closes if Close was called.
  void WriteNext();
  void Finish();

  struct Outgoing {
    std::shared_ptr<const std::string> bytes;
    bool is_text;
  };

  HttpCore& core_;
  WebSocketEndpoint* const endpoint_;
  uint64_t id_ = 0;
  // Without permessage-deflate.
  boost::beast::websocket::stream<HttpStream, false> stream_;
  Upgrade upgrade_;
  boost::beast::flat_buffer buffer_;
  std::shared_ptr<WebSocket> socket_;
  bool open_ = false;
  bool finished_ = false;

  std::mutex mutex_;
  // Bounded by HttpOptions::websocket_queue, counted by HttpCore::slow_websockets. The first
  // message is being written while writing_ is set.
  std::deque<Outgoing> queue_;
  size_t queued_bytes_ = 0;
  bool writing_ = true;  // True until the connection is open.
  bool overflown_ = false;
  bool close_asked_ = false;
  bool close_begun_ = false;
  boost::beast::websocket::close_reason reason_;
};

}  // namespace posewire::service::internal

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_WEB_SOCKET_CONNECTION_H_
