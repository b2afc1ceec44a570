#include "tools/loadgen/h2/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace posewire::loadgen {
namespace {

absl::Status NoConnection(const std::string& address) {
  return absl::UnavailableError(absl::StrCat(address, ": ", std::strerror(errno)));
}

absl::StatusOr<int> ConnectUnix(const std::string& address) {
  sockaddr_un where = {};
  where.sun_family = AF_UNIX;
  const std::string path = address.substr(5);
  if (path.empty() || path.size() >= sizeof where.sun_path) {
    return absl::InvalidArgumentError(absl::StrCat("no path of a socket: '", path, "'"));
  }
  std::memcpy(where.sun_path, path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return NoConnection(address);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0) return fd;
  const absl::Status status = NoConnection(address);
  close(fd);
  return status;
}

absl::StatusOr<int> ConnectTcp(const std::string& address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", address, "' is neither HOST:PORT nor unix:PATH"));
  }
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string host = address.substr(0, colon), port = address.substr(colon + 1);
  if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0) {
    return absl::UnavailableError(absl::StrCat(address, ": ", gai_strerror(error)));
  }
  absl::Status status = absl::UnavailableError(absl::StrCat(address, ": no address"));
  int fd = -1;
  for (const addrinfo* a = found; a != nullptr && fd < 0; a = a->ai_next) {
    fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
    if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) == 0) break;
    status = NoConnection(address);
    if (fd >= 0) close(fd);
    fd = -1;
  }
  freeaddrinfo(found);
  if (fd < 0) return status;
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

}  // namespace

absl::StatusOr<int> Connect(const std::string& address) {
  absl::StatusOr<int> fd =
      absl::StartsWith(address, "unix:") ? ConnectUnix(address) : ConnectTcp(address);
  if (fd.ok()) fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

}  // namespace posewire::loadgen
