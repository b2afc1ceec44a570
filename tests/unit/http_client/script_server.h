// A TCP server on 127.0.0.1 whose connections run a function of the test.
#ifndef POSEWIRE_TESTS_UNIT_HTTP_CLIENT_SCRIPT_SERVER_H_
#define POSEWIRE_TESTS_UNIT_HTTP_CLIENT_SCRIPT_SERVER_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/string_view.h"

namespace posewire::http_client {

class ScriptConnection {
 public:
  ScriptConnection(int fd, const std::shared_future<void>* over) : fd_(fd), over_(over) {}

  // The next request, headers and body; empty when the client has closed.
  std::string ReadRequest() {
    std::string text;
    size_t need = std::string::npos;
    while (text.size() < need) {
      char some[4096];
      const ssize_t n = recv(fd_, some, sizeof some, 0);
      if (n <= 0) return "";
      text.append(some, static_cast<size_t>(n));
      const size_t head = text.find("\r\n\r\n");
      if (need != std::string::npos || head == std::string::npos) continue;
      const size_t length = text.find("Content-Length: ");
      need = head + 4;
      if (length < head) need += static_cast<size_t>(std::atoi(text.c_str() + length + 16));
    }
    return text;
  }
  void Send(absl::string_view text) { (void)!send(fd_, text.data(), text.size(), MSG_NOSIGNAL); }
  // Until the server's destruction, or until the client closes.
  void Hold() {
    pollfd wait{fd_, POLLRDHUP, 0};
    while (over_->wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      if (poll(&wait, 1, 10) > 0) return;
    }
  }
  // Closes with RST.
  void Reset() {
    const linger none{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  }

 private:
  int fd_;
  const std::shared_future<void>* over_;
};

// One connection after the other; each is closed when `script` returns.
class ScriptServer {
 public:
  explicit ScriptServer(std::function<void(ScriptConnection&)> script)
      : script_(std::move(script)), over_(end_.get_future()) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    if (bind(fd_, reinterpret_cast<sockaddr*>(&at), size) != 0 || listen(fd_, 8) != 0 ||
        getsockname(fd_, reinterpret_cast<sockaddr*>(&at), &size) != 0) {
      std::abort();
    }
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this] {
      while (true) {
        const int client = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) return;
        ++connections_;
        ScriptConnection connection(client, &over_);
        script_(connection);
        close(client);
      }
    });
  }
  ~ScriptServer() {
    end_.set_value();
    shutdown(fd_, SHUT_RDWR);
    thread_.join();
    close(fd_);
  }

  std::string url(absl::string_view path = "/x") const {
    return "http://127.0.0.1:" + std::to_string(port_) + std::string(path);
  }
  int connections() const { return connections_; }

 private:
  std::function<void(ScriptConnection&)> script_;
  std::promise<void> end_;
  std::shared_future<void> over_;
  int fd_ = -1;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::thread thread_;
};

}  // namespace posewire::http_client

#endif  // POSEWIRE_TESTS_UNIT_HTTP_CLIENT_SCRIPT_SERVER_H_
