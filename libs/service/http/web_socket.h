// A WebSocket as its endpoint sees it, with no header of the HTTP library.
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

// The bound of one connection's queue. A message that finds the queue over either bound is not
// taken and the connection is cut: a client that does not keep up may connect anew, and never sees
// a stream with holes. HttpHost::slow_websockets counts those.
struct WebSocketQueueLimits {
  size_t messages = 1024;
  size_t bytes = 4 << 20;
};

// Thread-safe. May be kept after the connection or the host has gone: Send then returns false.
class WebSocket {
 public:
  // For the host. `send` queues what it is given, `close` ends the connection.
  struct Wires {
    std::function<bool(std::shared_ptr<const std::string>, bool is_text)> send;
    std::function<size_t()> queued_bytes;
    std::function<void(int code, std::string reason)> close;
  };
  WebSocket(uint64_t id, HttpRequest request, Wires wires);
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  uint64_t id() const { return id_; }  // Unlike that of any other connection of the host.
  const HttpRequest& request() const { return request_; }
  // Queues one text message and returns at once. False when it was not taken.
  bool Send(std::string text);
  // The same without a copy, for what goes to many.
  bool Send(std::shared_ptr<const std::string> text);
  // The same for one binary message.
  bool SendBinary(std::shared_ptr<const std::string> bytes);
  // What waits to be written, so that who sends to a slow client can leave out what it can do
  // without. 0 once detached.
  size_t queued_bytes() const;
  // Ends the connection after what is queued, with a code of RFC 6455 (1000: a normal end).
  void Close(int code = 1000, absl::string_view reason = "");
  // For the host: from now on nothing reaches it.
  void Detach();

 private:
  const uint64_t id_;
  const HttpRequest request_;
  mutable std::mutex mutex_;
  Wires wires_;  // All empty once detached.
};

// Calls for one connection come one after the other, on threads of the host; calls for several
// come at the same time. They must return soon. What they throw is logged and ends the connection
// with 1011.
class WebSocketEndpoint {
 public:
  virtual ~WebSocketEndpoint() = default;
  virtual void OnOpen(const std::shared_ptr<WebSocket>& socket) = 0;
  virtual void OnMessage(const std::shared_ptr<WebSocket>& socket, std::string message,
                         bool is_text) = 0;
  // Once for each OnOpen, whatever ended the connection.
  virtual void OnClose(const std::shared_ptr<WebSocket>& socket) = 0;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_WEB_SOCKET_H_
