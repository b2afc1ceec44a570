// UDP sockets: one that receives datagrams, one that sends them to a fixed place.
//
//   auto socket = service::UdpReceiver::Bind("127.0.0.1:39539", /*beyond_loopback=*/false);
//   service::UdpWaiter waiter;
//   waiter.Wait({&*socket}, 0.01);          // until something came, Wake, or 10 ms
//   while (auto size = socket->Receive(buffer)) Use(buffer, *size);
#ifndef POSEWIRE_LIBS_SERVICE_UDP_SOCKET_H_
#define POSEWIRE_LIBS_SERVICE_UDP_SOCKET_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/files/descriptor.h"

namespace posewire::service {

// The largest datagram that UDP carries.
inline constexpr size_t kMaxUdpBytes = 65535;

// One thread at a time. Datagrams that come while nobody reads wait in the system's buffer (about
// 1 MiB); beyond that the system drops the newest.
class UdpReceiver {
 public:
  // `address` is HOST:PORT; port 0 takes a free one. INVALID_ARGUMENT for one that cannot be read,
  // FAILED_PRECONDITION for one beyond loopback without leave, ALREADY_EXISTS when the port is
  // taken, UNAVAILABLE when it cannot be bound for another reason.
  static absl::StatusOr<UdpReceiver> Bind(absl::string_view address, bool beyond_loopback);

  // The next datagram's bytes in `buffer`, and its size; nothing when none waits. Never blocks. A
  // datagram that is larger than the buffer is cut to its size.
  std::optional<size_t> Receive(absl::Span<char> buffer);

  int port() const { return port_; }
  int fd() const { return file_.get(); }

 private:
  UdpReceiver(files::Descriptor file, int port) : file_(std::move(file)), port_(port) {}
  files::Descriptor file_;
  int port_;
};

// One thread at a time.
class UdpSender {
 public:
  // `address` is HOST:PORT; the host may be a name. INVALID_ARGUMENT for one that cannot be read or
  // has no address, UNAVAILABLE when there is no socket to be had.
  static absl::StatusOr<UdpSender> To(absl::string_view address);

  // Never blocks. False when the system did not take it: nobody listens there, or its buffer is
  // full. The next one may pass.
  bool Send(absl::string_view datagram);

  const std::string& address() const { return address_; }

 private:
  UdpSender(files::Descriptor file, std::string address)
      : file_(std::move(file)), address_(std::move(address)) {}
  files::Descriptor file_;
  std::string address_;
};

// Waits on sockets for one thread; Wake may come from any.
class UdpWaiter {
 public:
  UdpWaiter();
  // Until a socket has something to read, for at most `timeout_s`, or until Wake, which also ends
  // all later calls at once.
  void Wait(absl::Span<const UdpReceiver* const> sockets, double timeout_s);
  void Wake();

 private:
  files::Descriptor wake_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_UDP_SOCKET_H_
