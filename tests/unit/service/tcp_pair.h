// A TCP connection over loopback, both ends of which are in this process.
#ifndef POSEWIRE_TESTS_UNIT_SERVICE_TCP_PAIR_H_
#define POSEWIRE_TESTS_UNIT_SERVICE_TCP_PAIR_H_

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "libs/files/descriptor.h"

namespace posewire::service {

inline int GetOption(int fd, int level, int name) {
  int value = -1;
  socklen_t size = sizeof(value);
  return getsockopt(fd, level, name, &value, &size) == 0 ? value : -1;
}

// A client's socket that is connected, or has no number.
inline files::Descriptor ConnectTo(int family, int port) {
  files::Descriptor file(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_storage to{};
  socklen_t size = sizeof(sockaddr_in);
  to.ss_family = static_cast<sa_family_t>(family);
  if (family == AF_INET) {
    auto& v4 = reinterpret_cast<sockaddr_in&>(to);
    v4.sin_port = htons(static_cast<uint16_t>(port));
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  } else {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(to);
    v6.sin6_port = htons(static_cast<uint16_t>(port));
    v6.sin6_addr = in6addr_loopback;
    size = sizeof(sockaddr_in6);
  }
  if (connect(file.get(), reinterpret_cast<sockaddr*>(&to), size) != 0) return files::Descriptor();
  return file;
}

struct TcpPair {
  TcpPair() {
    const files::Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in bound{};
    bound.sin_family = AF_INET;
    bound.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(bound);
    if (bind(listener.get(), reinterpret_cast<sockaddr*>(&bound), size) != 0) return;
    if (listen(listener.get(), 1) != 0) return;
    getsockname(listener.get(), reinterpret_cast<sockaddr*>(&bound), &size);
    client = ConnectTo(AF_INET, ntohs(bound.sin_port));
    server = files::Descriptor(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const int on = 1;
    setsockopt(server.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }

  bool Write(const std::string& text) const {
    return send(server.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
  }
  // The next `size` bytes, or fewer when no more come within some seconds.
  std::string Read(size_t size) const {
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    std::string text(size, '\0');
    const ssize_t n = size == 0 ? 0 : recv(client.get(), text.data(), size, MSG_WAITALL);
    text.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return text;
  }
  // With data, that have come to the client.
  uint32_t segments() const {
    tcp_info info{};
    socklen_t size = sizeof(info);
    getsockopt(client.get(), IPPROTO_TCP, TCP_INFO, &info, &size);
    return info.tcpi_data_segs_in;
  }
  bool corked() const { return GetOption(server.get(), IPPROTO_TCP, TCP_CORK) != 0; }

  files::Descriptor server;
  files::Descriptor client;
};

}  // namespace posewire::service

#endif  // POSEWIRE_TESTS_UNIT_SERVICE_TCP_PAIR_H_
