// A WebSocket as its endpoint sees it, independent of the HTTP library.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_WEB_SOCKET_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_WEB_SOCKET_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/service/http/http_message.h"

namespace posewire::service {

// Bounds on one connection's queue. If a message arrives while the queue is over either bound, it
// is dropped and the connection is closed: a client that cannot keep up may reconnect, and never
// sees a stream with gaps. HttpHost::slow_websockets counts these.
struct WebSocketQueueLimits {
  size_t messages = 1024;
  size_t bytes = 4 << 20;
};

// Thread-safe. May be kept after the connection or the host has ended: Send then returns false.
class WebSocket {
 public:
  // For the host. `send` queues a message, `close` ends the connection.
  struct Wires {
    std::function<bool(std::shared_ptr<const std::string>, bool is_text)> send;
    std::function<size_t()> queued_bytes;
    std::function<void(int code, std::string reason)> close;
  };
  WebSocket(uint64_t id, HttpRequest request, Wires wires);
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  uint64_t id() const { return id_; }  // Unique among the connections of the host.
  const HttpRequest& request() const { return request_; }
  // Queues one text message and returns immediately. Returns false if it was not accepted.
  bool Send(std::string text);
  // The same without a copy, for messages to many clients.
  bool Send(std::shared_ptr<const std::string> text);
  // The same for one binary message.
  bool SendBinary(std::shared_ptr<const std::string> bytes);
  // Bytes that wait to be written, so that senders can skip optional messages to a slow client. 0
  // after Detach.
  size_t queued_bytes() const;
  // Ends the connection after the queued messages, with a code of RFC 6455 (1000: normal closure).
  void Close(int code = 1000, absl::string_view reason = "");
  // For the host: disconnects this object from the connection.
  void Detach();

 private:
  const uint64_t id_;
  const HttpRequest request_;
  mutable std::mutex mutex_;
  Wires wires_;  // All empty after Detach.
};

// Calls for one connection are sequential, on threads of the host; calls for different connections
// may be concurrent. They must return soon. Exceptions are logged and end the connection with 1011.
class WebSocketEndpoint {
 public:
  virtual ~WebSocketEndpoint() = default;
  virtual void OnOpen(const std::shared_ptr<WebSocket>& socket) = 0;
  virtual void OnMessage(const std::shared_ptr<WebSocket>& socket, std::string message,
                         bool is_text) = 0;
  // Called once for each OnOpen, for any reason that ended the connection.
  virtual void OnClose(const std::shared_ptr<WebSocket>& socket) = 0;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_WEB_SOCKET_H_
