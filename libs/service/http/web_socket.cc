#include "libs/service/http/web_socket.h"

#include <utility>

namespace posewire::service {

WebSocket::WebSocket(uint64_t id, HttpRequest request, Wires wires)
    : id_(id), request_(std::move(request)), wires_(std::move(wires)) {}

bool WebSocket::Send(std::string text) {
  return Send(std::make_shared<const std::string>(std::move(text)));
}

bool WebSocket::Send(std::shared_ptr<const std::string> text) {
  std::lock_guard<std::mutex> lock(mutex_);
  return wires_.send && wires_.send(std::move(text), true);
}

bool WebSocket::SendBinary(std::shared_ptr<const std::string> bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  return wires_.send && wires_.send(std::move(bytes), false);
}

size_t WebSocket::queued_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return wires_.queued_bytes ? wires_.queued_bytes() : 0;
}

void WebSocket::Close(int code, absl::string_view reason) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (wires_.close) wires_.close(code, std::string(reason));
}

void WebSocket::Detach() {
  std::lock_guard<std::mutex> lock(mutex_);
  wires_ = {};
}

}  // namespace posewire::service
