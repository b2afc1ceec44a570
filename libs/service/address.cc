#include "libs/service/address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace posewire::service {
namespace {

absl::Status BadAddress(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      "address \"", text, "\": ", why,
      "; it should look like 127.0.0.1:51000, [::1]:51000 or unix:/run/posewire.sock"));
}

// Returns 0, or the errno of bind or listen.
int TryBind(const sockaddr* address, socklen_t size) {
  const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  int error = 0;
  // Only listen() detects every port that is in use: two sockets with SO_REUSEADDR may both bind.
  if (bind(fd, address, size) != 0 || listen(fd, 1) != 0) error = errno;
  close(fd);
  return error;
}

// Returns the bytes of an IP address without its port.
absl::string_view HostBytes(const sockaddr_storage& storage) {
  if (storage.ss_family == AF_INET) {
    const in_addr& v4 = reinterpret_cast<const sockaddr_in&>(storage).sin_addr;
    return {reinterpret_cast<const char*>(&v4), sizeof(v4)};
  }
  if (storage.ss_family == AF_INET6) {
    const in6_addr& v6 = reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr;
    return {reinterpret_cast<const char*>(&v6), sizeof(v6)};
  }
  return {};
}

}  // namespace

std::string ListenAddress::ToString() const {
  if (!unix_path.empty()) return absl::StrCat("unix:", unix_path);
  if (host.find(':') != std::string::npos) return absl::StrCat("[", host, "]:", port);
  return absl::StrCat(host, ":", port);
}

std::string ListenAddress::CallableText() const {
  ListenAddress to = *this;
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1 && v4.s_addr == INADDR_ANY) to.host = "127.0.0.1";
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_UNSPECIFIED(&v6)) to.host = "::1";
  return to.ToString();
}

absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text) {
  ListenAddress address;
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "unix:")) {
    absl::ConsumePrefix(&rest, "//");
    if (rest.empty()) return BadAddress(text, "the path is missing");
    address.unix_path = std::string(rest);
    return address;
  }
  const size_t colon = rest.rfind(':');
  if (colon == absl::string_view::npos) return BadAddress(text, "the port is missing");
  absl::string_view host = rest.substr(0, colon);
  if (absl::ConsumePrefix(&host, "[")) {
    if (!absl::ConsumeSuffix(&host, "]")) return BadAddress(text, "a bracket is not closed");
  } else if (host.find(':') != absl::string_view::npos) {
    return BadAddress(text, "an IPv6 address needs brackets");
  }
  if (host.empty()) return BadAddress(text, "the host is missing");
  uint32_t port = 0;
  const absl::string_view port_text = rest.substr(colon + 1);
  if (port_text.empty() || port_text.find_first_not_of("0123456789") != absl::string_view::npos ||
      !absl::SimpleAtoi(port_text, &port) || port > 65535) {
    return BadAddress(text, "the port is not a number from 0 to 65535");
  }
  address.host = std::string(host);
  address.port = static_cast<int>(port);
  return address;
}

absl::Status CheckDialled(absl::string_view text) {
  absl::string_view rest = text;
  if (!absl::ConsumePrefix(&rest, "http://") && !absl::ConsumePrefix(&rest, "https://")) {
    return absl::OkStatus();
  }
  absl::ConsumeSuffix(&rest, "/");
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is a web address; ", rest, " is right"));
}

absl::Status CheckOptionalPort(absl::string_view text) {
  int port = 0;
  if (text.empty() || (absl::SimpleAtoi(text, &port) && port >= 0 && port <= 65535)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is no port from 0 to 65535"));
}

bool IsLoopback(const ListenAddress& address) {
  if (!address.unix_path.empty() || address.host == "localhost") return true;
  in_addr v4{};
  if (inet_pton(AF_INET, address.host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, address.host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

absl::Status CheckPlaintext(const ListenAddress& address, bool allow_plaintext) {
  if (allow_plaintext || IsLoopback(address)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "will not listen on ", address.ToString(),
      ": it can be reached from other machines and this server speaks plain text. Listen on "
      "127.0.0.1, or pass --allow-plaintext when the network is trusted"));
}

std::vector<std::string> MachineAddresses(const ListenAddress& wildcard) {
  const int family = wildcard.host.find(':') == std::string::npos ? AF_INET : AF_INET6;
  std::vector<std::string> all;
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0) return all;
  for (const ifaddrs* at = interfaces; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != family) continue;
    if ((at->ifa_flags & IFF_UP) == 0 || (at->ifa_flags & IFF_LOOPBACK) != 0) continue;
    char text[INET6_ADDRSTRLEN] = "";
    if (family == AF_INET) {
      const in_addr& v4 = reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr;
      if ((ntohl(v4.s_addr) >> 16) == 0xa9fe) continue;  // 169.254.0.0/16
      inet_ntop(family, &v4, text, sizeof(text));
    } else {
      const in6_addr& v6 = reinterpret_cast<const sockaddr_in6*>(at->ifa_addr)->sin6_addr;
      if (IN6_IS_ADDR_LINKLOCAL(&v6)) continue;
      inet_ntop(family, &v6, text, sizeof(text));
    }
    all.emplace_back(text);
  }
  freeifaddrs(interfaces);
  return all;
}

void SocketAddress::SetPort(int port) {
  const in_port_t number = htons(static_cast<uint16_t>(port));
  if (storage.ss_family == AF_INET) reinterpret_cast<sockaddr_in&>(storage).sin_port = number;
  if (storage.ss_family == AF_INET6) reinterpret_cast<sockaddr_in6&>(storage).sin6_port = number;
}

bool SocketAddress::SameHost(const SocketAddress& other) const {
  return HostBytes(storage) == HostBytes(other.storage);
}

std::string SocketAddress::HostText() const {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(storage.ss_family, HostBytes(storage).data(), text, sizeof(text));
  return text;
}

absl::StatusOr<std::vector<SocketAddress>> ResolveListen(const ListenAddress& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const std::string port = absl::StrCat(address.port);
  const int failed = getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found);
  if (failed != 0) {
    return BadAddress(address.ToString(),
                      absl::StrCat("the host is unknown (", gai_strerror(failed), ")"));
  }
  std::vector<SocketAddress> all;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    SocketAddress& one = all.emplace_back();
    memcpy(&one.storage, at->ai_addr, at->ai_addrlen);
    one.size = at->ai_addrlen;
  }
  freeaddrinfo(found);
  return all;
}

int PortOf(int fd) {
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) return 0;
  // The port has the same offset in both families.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&name)->sin_port);
}

absl::Status ListenError(const ListenAddress& address, int error) {
  const std::string text = address.ToString();
  if (error == EADDRINUSE) {
    return absl::AlreadyExistsError(absl::StrCat("cannot listen on ", text,
                                                 ": another process already does; stop it, or "
                                                 "choose another address (port 0: any free one)"));
  }
  return absl::UnavailableError(absl::StrCat("cannot listen on ", text, ": ", strerror(error)));
}

absl::Status ProbeBind(const ListenAddress& address) {
  absl::StatusOr<std::vector<SocketAddress>> all = ResolveListen(address);
  if (!all.ok()) return all.status();
  int error = 0;
  for (const SocketAddress& one : *all) {
    error = TryBind(one.get(), one.size);
    // A machine without IPv6 still has the name's IPv4 address.
    if (error == EAFNOSUPPORT || error == EADDRNOTAVAIL) error = &one == &all->back() ? error : 0;
    if (error != 0) break;
  }
  return error == 0 ? absl::OkStatus() : ListenError(address, error);
}

}  // namespace posewire::service
