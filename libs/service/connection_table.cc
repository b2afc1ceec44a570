#include "libs/service/connection_table.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

#include "absl/strings/str_cat.h"

namespace posewire::service {
namespace {

// As gRPC writes it: a URI, IPv4 in IPv6 as IPv4. Empty for a socket that is not TCP.
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
  // "[fe80::1%2]:4711", where the zone's percent sign is escaped as the brackets are.
  const std::string zone = v6.sin6_scope_id == 0 ? "" : absl::StrCat("%25", v6.sin6_scope_id);
  return absl::StrCat("ipv6:%5B", text, zone, "%5D:", port);
}

}  // namespace

bool ConnectionTable::Add(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return false;
  std::string name = PeerNameOf(address);
  const auto index = static_cast<size_t>(fd);
  std::lock_guard lock(mutex_);
  if (names_.size() <= index) names_.resize(index + 1);
  // The peer may have come back by another socket since.
  if (const auto it = fds_.find(names_[index]); it != fds_.end() && it->second == fd) {
    fds_.erase(it);
  }
  if (!name.empty()) fds_[name] = fd;
  names_[index] = std::move(name);
  return true;
}

int ConnectionTable::Find(absl::string_view peer) const {
  std::lock_guard lock(mutex_);
  const auto it = fds_.find(peer);
  return it == fds_.end() ? -1 : it->second;
}

std::string ConnectionTable::NameOf(int fd) const {
  const auto index = static_cast<size_t>(fd);
  std::lock_guard lock(mutex_);
  return index < names_.size() ? names_[index] : "";
}

}  // namespace posewire::service
