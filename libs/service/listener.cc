#include "libs/service/listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/service/catch_exceptions.h"

namespace posewire::service {
namespace {

constexpr int kSocketKind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
// Connections that may wait to be accepted; the system lowers it to its own limit.
constexpr int kBacklog = 4096;
// A name with several addresses needs one port that is free at all of them.
constexpr int kTriesForAPort = 8;
// Maximum number accepted between two checks for the stop.
constexpr int kMostAtOnce = 64;

bool IsWildcard(const SocketAddress& address) {
  if (address.storage.ss_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr.s_addr == INADDR_ANY;
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address.storage);
  return IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr);
}

SocketAddress Wildcard(sa_family_t family) {
  SocketAddress any;
  any.storage.ss_family = family;
  any.size = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  return any;
}

// A machine without IPv6 still has a name's IPv4 address.
bool IsMissingHere(int error) { return error == EAFNOSUPPORT || error == EADDRNOTAVAIL; }

// Returns 0, or an errno value. Options set here are inherited by accepted sockets.
int ListenAt(const SocketAddress& address, const ListenerOptions& options, files::Descriptor* out) {
  const int family = address.storage.ss_family;
  files::Descriptor file(socket(family, kSocketKind, 0));
  if (file.get() < 0) return errno;
  const auto set = [&](int level, int name, int value) {
    return setsockopt(file.get(), level, name, &value, sizeof(value)) == 0;
  };
  if (!set(SOL_SOCKET, SO_REUSEADDR, 1) || !set(IPPROTO_TCP, TCP_NODELAY, 1)) return errno;
  if (family == AF_INET6 && !set(IPPROTO_IPV6, IPV6_V6ONLY, 0)) return errno;
  if (options.user_timeout_ms > 0) set(IPPROTO_TCP, TCP_USER_TIMEOUT, options.user_timeout_ms);
  if (bind(file.get(), address.get(), address.size) != 0 || listen(file.get(), kBacklog) != 0) {
    return errno;
  }
  *out = std::move(file);
  return 0;
}

// Returns 0, or an errno value.
int ListenAtAll(std::vector<SocketAddress> addresses, int port, const ListenerOptions& options,
                std::vector<files::Descriptor>* out) {
  int error = 0;
  for (SocketAddress& address : addresses) {
    address.SetPort(port);
    files::Descriptor file;
    if (const int failed = ListenAt(address, options, &file)) {
      error = failed;
      if (IsMissingHere(failed)) continue;
      return failed;
    }
    out->push_back(std::move(file));
    if (port == 0) port = PortOf(out->front().get());
  }
  return out->empty() ? error : 0;
}

// Returns 0, or an errno value.
int ListenAtHost(const std::vector<SocketAddress>& addresses, int port,
                 const ListenerOptions& options, std::vector<files::Descriptor>* out) {
  int error = 0;
  if (IsWildcard(addresses.front())) {
    // One socket accepts both IPv4 and IPv6, if the machine supports IPv6.
    error = ListenAtAll({Wildcard(AF_INET6)}, port, options, out);
    const bool only_v4 = addresses.front().storage.ss_family == AF_INET;
    if (error == 0 || !(only_v4 || IsMissingHere(error))) return error;
    return ListenAtAll({Wildcard(AF_INET)}, port, options, out);
  }
  for (int i = 0; i < kTriesForAPort; ++i) {
    out->clear();
    error = ListenAtAll(addresses, port, options, out);
    if (error != EADDRINUSE || port != 0) break;
  }
  return error;
}

// Returns 0 if the socket has no listener, as with a file left by a dead process. Otherwise an
// errno value.
int ProbeUnix(const sockaddr_un& address) {
  const files::Descriptor file(socket(AF_UNIX, kSocketKind, 0));
  if (file.get() < 0) return errno;
  if (connect(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    return EADDRINUSE;
  }
  // EAGAIN: its backlog is full.
  if (errno == EAGAIN) return EADDRINUSE;
  return errno == ENOENT || errno == ECONNREFUSED ? 0 : errno;
}

// Returns whether the error concerns only one connection, not accepting in general.
bool IsOfOneConnection(int error) {
  switch (error) {
    case EINTR:
    case ECONNABORTED:
    case EPERM:
    case EPROTO:
    case ENOPROTOOPT:
    case EOPNOTSUPP:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENONET:
      return true;
    default:
      return false;
  }
}

}  // namespace

Listener::Listener(ListenAddress address, const ListenerOptions& options, Logger log)
    : bound_(std::move(address)), options_(options), log_(std::move(log)) {}

absl::StatusOr<std::unique_ptr<Listener>> Listener::Open(const ListenAddress& address,
                                                         const ListenerOptions& options,
                                                         Logger log) {
  std::unique_ptr<Listener> out(new Listener(address, options, std::move(log)));
  out->stop_ = files::Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (out->stop_.get() < 0) return ListenError(address, errno);
  const absl::Status status = address.unix_path.empty() ? out->OpenTcp() : out->OpenUnix();
  if (!status.ok()) return status;
  return out;
}

absl::Status Listener::OpenTcp() {
  absl::StatusOr<std::vector<SocketAddress>> addresses = ResolveListen(bound_);
  if (!addresses.ok()) return addresses.status();
  const int error = ListenAtHost(*addresses, bound_.port, options_, &sockets_);
  if (error != 0) return ListenError(bound_, error);
  bound_.port = PortOf(sockets_.front().get());
  return absl::OkStatus();
}

absl::Status Listener::OpenUnix() {
  const std::string& path = bound_.unix_path;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return ListenError(bound_, ENAMETOOLONG);
  memcpy(address.sun_path, path.data(), path.size());
  if (const int error = ProbeUnix(address)) return ListenError(bound_, error);
  struct stat file {};
  if (lstat(path.c_str(), &file) == 0) {
    if (!S_ISSOCK(file.st_mode)) {
      return absl::UnavailableError(absl::StrCat("cannot listen on ", bound_.ToString(),
                                                 ": a file that is no socket is in the way"));
    }
    unlink(path.c_str());
  }
  files::Descriptor socket_file(socket(AF_UNIX, kSocketKind, 0));
  if (socket_file.get() < 0 ||
      bind(socket_file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(socket_file.get(), kBacklog) != 0) {
    return ListenError(bound_, errno);
  }
  if (lstat(path.c_str(), &file) == 0) {
    device_ = file.st_dev;
    inode_ = file.st_ino;
  }
  sockets_.push_back(std::move(socket_file));
  return absl::OkStatus();
}

void Listener::Start(Take take) {
  take_ = std::move(take);
  thread_ = std::thread([this] { Run(); });
}

void Listener::Stop() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(stop_.get(), &one, sizeof(one));
    thread_.join();
  }
  if (sockets_.empty()) return;
  // First the file, so that no other process replaces it while this one still answers.
  struct stat file {};
  if (!bound_.unix_path.empty() && lstat(bound_.unix_path.c_str(), &file) == 0 &&
      file.st_dev == device_ && file.st_ino == inode_) {
    unlink(bound_.unix_path.c_str());
  }
  sockets_.clear();
}

void Listener::Run() {
  std::vector<pollfd> polled = {{.fd = stop_.get(), .events = POLLIN, .revents = 0}};
  for (const files::Descriptor& file : sockets_) {
    polled.push_back({.fd = file.get(), .events = POLLIN, .revents = 0});
  }
  while (true) {
    bool pause = false;
    poll(polled.data(), polled.size(), -1);
    for (size_t i = 1; i < polled.size() && polled[0].revents == 0; ++i) {
      if (polled[i].revents != 0 && !TakeAll(polled[i].fd)) pause = true;
    }
    if (pause) poll(polled.data(), 1, options_.pause_ms);
    if (polled[0].revents != 0) return;
  }
}

// Returns false if accept currently fails.
bool Listener::TakeAll(int listener) {
  for (int i = 0; i < kMostAtOnce; ++i) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      if (!CatchExceptions(log_, "listener", [&] { take_(listener, fd); }).ok()) close(fd);
      continue;
    }
    if (errno == EAGAIN) {
      failing_ = false;
      return true;
    }
    if (IsOfOneConnection(errno)) continue;
    if (!std::exchange(failing_, true)) {
      log_.Error("cannot take connections for now", {{"error", strerror(errno)}});
    }
    return false;
  }
  return true;
}

}  // namespace posewire::service
