#include "libs/service/udp_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace posewire::service {
namespace {

constexpr int kBufferBytes = 1 << 20;
constexpr size_t kMostPolled = 8;

absl::StatusOr<ListenAddress> ParseUdpAddress(absl::string_view text) {
  auto address = ParseListenAddress(text);
  if (address.ok() && !address->unix_path.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("address \"", text, "\" is no UDP address; HOST:PORT is right"));
  }
  return address;
}

absl::Status CheckPortToSendTo(const ListenAddress& address) {
  if (address.port != 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("address \"", address.ToString(),
                                                 "\": the port to send to is 0; 1 to 65535 is "
                                                 "right"));
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// Returns at least one address of the host.
absl::StatusOr<Addresses> LookUp(const ListenAddress& address, int family, int flags,
                                 absl::string_view what) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const std::string port = absl::StrCat(address.port);
  if (const int failed = getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found)) {
    return absl::InvalidArgumentError(absl::StrCat("cannot ", what, " ", address.ToString(),
                                                   ": the host is unknown (", gai_strerror(failed),
                                                   ")"));
  }
  return Addresses(found, &freeaddrinfo);
}

// Opens a socket for the first of the host's addresses for which `use` returns 0 rather than an
// errno value.
absl::StatusOr<files::Descriptor> Open(const ListenAddress& address, int flags,
                                       absl::string_view what,
                                       const std::function<int(int, const addrinfo&)>& use) {
  const auto found = LookUp(address, AF_UNSPEC, flags, what);
  if (!found.ok()) return found.status();
  int error = 0;
  for (const addrinfo* at = found->get(); at != nullptr; at = at->ai_next) {
    files::Descriptor file(socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    error = file.get() < 0 ? errno : use(file.get(), *at);
    if (error == 0) return file;
  }
  const std::string text =
      absl::StrCat("cannot ", what, " ", address.ToString(), ": ", strerror(error));
  if (error == EADDRINUSE) {
    return absl::AlreadyExistsError(
        absl::StrCat(text, "; stop the other program, or choose another port (0: any free one)"));
  }
  return absl::UnavailableError(text);
}

}  // namespace

absl::StatusOr<UdpReceiver> UdpReceiver::Bind(absl::string_view address, bool beyond_loopback) {
  auto parsed = ParseUdpAddress(address);
  if (!parsed.ok()) return parsed.status();
  if (absl::Status s = CheckPlaintext(*parsed, beyond_loopback); !s.ok()) return s;
  auto file = Open(*parsed, AI_PASSIVE, "receive UDP on", [](int fd, const addrinfo& at) {
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kBufferBytes, sizeof(kBufferBytes));
    return bind(fd, at.ai_addr, at.ai_addrlen) == 0 ? 0 : errno;
  });
  if (!file.ok()) return file.status();
  const int port = PortOf(file->get());
  return UdpReceiver(*std::move(file), port);
}

std::optional<size_t> UdpReceiver::Receive(absl::Span<char> buffer, SocketAddress* from) {
  while (true) {
    if (from != nullptr) from->size = sizeof(from->storage);
    const ssize_t size =
        recvfrom(file_.get(), buffer.data(), buffer.size(), 0,
                 from == nullptr ? nullptr : reinterpret_cast<sockaddr*>(&from->storage),
                 from == nullptr ? nullptr : &from->size);
    if (size >= 0) return static_cast<size_t>(size);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::nullopt;
    // Each network error is reported once; datagrams after it are intact.
    if (errno != EINTR && errno != ECONNREFUSED && errno != ENETDOWN) return std::nullopt;
  }
}

absl::StatusOr<SocketAddress> UdpReceiver::Resolve(absl::string_view address) const {
  auto parsed = ParseUdpAddress(address);
  if (!parsed.ok()) return parsed.status();
  if (absl::Status s = CheckPortToSendTo(*parsed); !s.ok()) return s;
  sockaddr_storage own{};
  socklen_t own_size = sizeof(own);
  if (getsockname(file_.get(), reinterpret_cast<sockaddr*>(&own), &own_size) != 0) {
    return absl::InternalError(absl::StrCat("cannot name a socket: ", strerror(errno)));
  }
  const int flags = own.ss_family == AF_INET6 ? AI_V4MAPPED : 0;
  const auto found = LookUp(*parsed, own.ss_family, flags, "send UDP to");
  if (!found.ok()) return found.status();
  SocketAddress to;
  memcpy(&to.storage, (*found)->ai_addr, (*found)->ai_addrlen);
  to.size = (*found)->ai_addrlen;
  return to;
}

bool UdpReceiver::SendTo(const SocketAddress& to, absl::string_view datagram) {
  const ssize_t sent = sendto(file_.get(), datagram.data(), datagram.size(), 0, to.get(), to.size);
  return sent == static_cast<ssize_t>(datagram.size());
}

absl::StatusOr<UdpSender> UdpSender::To(absl::string_view address, int default_port) {
  const bool bare = !absl::StrContains(address, ':') || absl::EndsWith(address, "]");
  auto parsed = ParseUdpAddress(bare && default_port != 0 ? absl::StrCat(address, ":", default_port)
                                                          : std::string(address));
  if (!parsed.ok()) return parsed.status();
  if (absl::Status s = CheckPortToSendTo(*parsed); !s.ok()) return s;
  auto file = Open(*parsed, 0, "send UDP to", [](int fd, const addrinfo& at) {
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kBufferBytes, sizeof(kBufferBytes));
    return connect(fd, at.ai_addr, at.ai_addrlen) == 0 ? 0 : errno;
  });
  if (!file.ok()) return file.status();
  return UdpSender(*std::move(file), parsed->ToString());
}

bool UdpSender::Send(absl::string_view datagram) {
  // A refusal belongs to an earlier datagram and is reported before this one is sent, so try once
  // more.
  for (int i = 0; i < 2; ++i) {
    const ssize_t sent = send(file_.get(), datagram.data(), datagram.size(), 0);
    if (sent == static_cast<ssize_t>(datagram.size())) return true;
    if (errno != ECONNREFUSED && errno != EINTR) return false;
  }
  return false;
}

UdpWaiter::UdpWaiter() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void UdpWaiter::Wait(absl::Span<const UdpReceiver* const> sockets, double timeout_s) {
  std::array<pollfd, kMostPolled + 1> polled{};
  polled[0] = {wake_.get(), POLLIN, 0};
  const size_t count = std::min(sockets.size(), kMostPolled);
  for (size_t i = 0; i < count; ++i) polled[i + 1] = {sockets[i]->fd(), POLLIN, 0};
  const double seconds = std::clamp(timeout_s, 0.0, 3600.0);
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(seconds);
  limit.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
  ppoll(polled.data(), count + 1, &limit, nullptr);
}

void UdpWaiter::Wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof(one));
}

}  // namespace posewire::service
