#include "libs/service/connection_table.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/service/socket_cookie.h"

namespace posewire::service {
namespace {

// Returns the name in gRPC's form: a URI, with IPv4-mapped IPv6 as IPv4. Empty for a socket that is
// not TCP.
std::string PeerNameOf(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
    return absl::StrCat("ipv4:", text, ":", ntohs(v4.sin_port));
  }
  if (address.ss_family != AF_INET6) return "";
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  const int port = ntohs(v6.sin6_port);
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    inet_ntop(AF_INET, v6.sin6_addr.s6_addr + 12, text, sizeof(text));
    return absl::StrCat("ipv4:", text, ":", port);
  }
  inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
  // "[fe80::1%2]:4711", where the zone's percent sign and the brackets are escaped.
  const std::string zone = v6.sin6_scope_id == 0 ? "" : absl::StrCat("%25", v6.sin6_scope_id);
  return absl::StrCat("ipv6:%5B", text, zone, "%5D:", port);
}

}  // namespace

ConnectionTable::ConnectionTable(const ConnectionLimits& limits)
    : all_({"connections", "connections are open", "--max-connections"}, limits.all),
      of_address_(
          {"connections_per_address", "connections are open", "--max-connections-per-address"},
          limits.of_address) {}

absl::Status ConnectionTable::Add(int fd) {
  sockaddr_storage peer{};
  socklen_t size = sizeof(peer);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) {
    return absl::UnavailableError("its peer has gone");
  }
  std::string name = PeerNameOf(peer);
  std::string address = name.substr(0, name.rfind(':'));
  const auto index = static_cast<size_t>(fd);
  std::lock_guard lock(mutex_);
  if (connections_.size() <= index) connections_.resize(index + 1);
  Connection& connection = connections_[index];
  Forget(connection);
  // The same peer name may belong to another socket by now.
  if (const auto it = fds_.find(connection.name); it != fds_.end() && it->second == fd) {
    fds_.erase(it);
  }
  connection = {};
  if (absl::Status s = Admit(address); !s.ok()) return s;
  if (!name.empty()) fds_[name] = fd;
  ++by_address_[address];
  connection = {std::move(name), std::move(address), CookieOf(fd)};
  return absl::OkStatus();
}

absl::Status ConnectionTable::Admit(const std::string& address) {
  const auto of_address = [&] {
    const auto it = by_address_.find(address);
    return address.empty() || it == by_address_.end() ? 0 : it->second;
  };
  if (all_.full() || of_address() >= of_address_.most()) ForgetClosed();
  absl::Status s = of_address_.Check(of_address(), absl::StrCat(" of ", address));
  if (s.ok()) s = all_.Take();
  return s;
}

void ConnectionTable::ForgetClosed() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return;
  next_look_ = now + std::chrono::milliseconds(50);
  for (size_t fd = 0; fd < connections_.size(); ++fd) {
    Connection& connection = connections_[fd];
    if (connection.cookie != CookieOf(static_cast<int>(fd))) Forget(connection);
  }
}

void ConnectionTable::Forget(Connection& connection) {
  if (std::exchange(connection.cookie, 0) == 0) return;
  all_.Give();
  const auto it = by_address_.find(connection.address);
  if (--it->second == 0) by_address_.erase(it);
}

int ConnectionTable::Find(absl::string_view peer) const {
  std::lock_guard lock(mutex_);
  const auto it = fds_.find(peer);
  return it == fds_.end() ? -1 : it->second;
}

std::string ConnectionTable::NameOf(int fd) const {
  const auto index = static_cast<size_t>(fd);
  std::lock_guard lock(mutex_);
  return index < connections_.size() ? connections_[index].name : "";
}

}  // namespace posewire::service
