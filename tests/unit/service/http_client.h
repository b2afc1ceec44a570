// A plain client for the tests: bytes over a socket, HTTP replies and WebSocket frames read slowly
// and obviously, with nothing of the server's library.
#ifndef POSEWIRE_TESTS_UNIT_SERVICE_HTTP_CLIENT_H_
#define POSEWIRE_TESTS_UNIT_SERVICE_HTTP_CLIENT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

namespace posewire::service {

class HttpClient {
 public:
  explicit HttpClient(int port, int receive_buffer = 0) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0) {
      setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
    }
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<uint16_t>(port));
    connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0;
  }
  ~HttpClient() { close(fd_); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  bool connected() const { return connected_; }

  void Send(const std::string& bytes) {
    size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return;
      sent += static_cast<size_t>(n);
    }
  }

  // No more will be sent.
  void EndSending() { shutdown(fd_, SHUT_WR); }

  // Up to `end`, or all until the server closes when that is empty.
  std::string ReadUntil(const std::string& end) {
    while (end.empty() || held_.find(end) == std::string::npos) {
      if (!Receive()) return std::exchange(held_, "");
    }
    const size_t size = held_.find(end) + end.size();
    return Take(size);
  }
  std::string ReadSize(size_t size) {
    while (held_.size() < size && Receive()) {
    }
    return Take(std::min(size, held_.size()));
  }
  bool IsClosed() { return held_.empty() && !Receive(); }

  struct Reply {
    int status = 0;
    std::string head, body;
  };
  // `has_body` is false for replies to HEAD.
  Reply ReadReply(bool has_body = true) {
    Reply reply;
    reply.head = ReadUntil("\r\n\r\n");
    if (reply.head.size() > 12) reply.status = std::atoi(reply.head.c_str() + 9);
    const size_t at = reply.head.find("Content-Length: ");
    if (at != std::string::npos && has_body) {
      reply.body = ReadSize(static_cast<size_t>(std::atol(reply.head.c_str() + at + 16)));
    }
    return reply;
  }
  Reply Call(const std::string& method, const std::string& target, const std::string& headers = "",
             const std::string& body = "") {
    Send(method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers +
         (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" +
         body);
    return ReadReply(method != "HEAD");
  }

  Reply OpenWebSocket(const std::string& target, const std::string& headers = "") {
    return Call("GET", target,
                "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                    headers);
  }
  void SendFrame(int opcode, const std::string& payload) {
    std::string frame(1, static_cast<char>(0x80 | opcode));
    // The shortest form of the length is the only legal one.
    const int bytes = payload.size() < 126 ? 0 : payload.size() < 65536 ? 2 : 8;
    const size_t first = bytes == 0 ? payload.size() : bytes == 2 ? 126 : 127;
    frame += static_cast<char>(0x80 | first);
    for (int i = bytes - 1; i >= 0; --i) {
      frame += static_cast<char>((payload.size() >> (8 * i)) & 255);
    }
    // A mask of zeros is a legal mask.
    Send(frame + std::string(4, '\0') + payload);
  }
  struct Frame {
    int opcode = -1;  // -1: the connection ended.
    std::string payload;
  };
  Frame ReadFrame() {
    const std::string head = ReadSize(2);
    if (head.size() < 2) return {};
    size_t size = static_cast<unsigned char>(head[1]) & 127;
    const size_t extra = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (extra > 0) size = 0;
    for (const char c : ReadSize(extra)) size = size * 256 + static_cast<unsigned char>(c);
    return {head[0] & 15, ReadSize(size)};
  }

 private:
  bool Receive() {
    char bytes[65536];
    const ssize_t n = recv(fd_, bytes, sizeof(bytes), 0);
    if (n > 0) held_.append(bytes, static_cast<size_t>(n));
    return n > 0;
  }
  std::string Take(size_t size) {
    std::string out = held_.substr(0, size);
    held_.erase(0, size);
    return out;
  }

  int fd_;
  bool connected_ = false;
  std::string held_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_TESTS_UNIT_SERVICE_HTTP_CLIENT_H_
