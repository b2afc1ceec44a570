// UDP sockets: one that receives datagrams and can reply, and one that sends them to a fixed
// address.
//
//   auto socket = service::UdpReceiver::Bind("127.0.0.1:39539", /*beyond_loopback=*/false);
//   service::UdpWaiter waiter;
//   waiter.Wait({&*socket}, 0.01);          // until data arrives, Wake, or 10 ms
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
#include "libs/service/address.h"

namespace posewire::service {

// The largest datagram that UDP can carry.
inline constexpr size_t kMaxUdpBytes = 65535;

// One thread at a time. Unread datagrams wait in the system's buffer (about 1 MiB); beyond that the
// system drops the newest.
class UdpReceiver {
 public:
  // `address` is HOST:PORT; port 0 selects a free one. INVALID_ARGUMENT for an invalid address,
  // FAILED_PRECONDITION if it is not loopback and `beyond_loopback` is false, ALREADY_EXISTS if the
  // port is in use, UNAVAILABLE if it cannot be bound for another reason.
  static absl::StatusOr<UdpReceiver> Bind(absl::string_view address, bool beyond_loopback);

  // Copies the next datagram into `buffer` and returns its size; nothing if none waits. Never
  // blocks. A datagram larger than the buffer is truncated. Fills in `from`, if any, with its
  // sender.
  std::optional<size_t> Receive(absl::Span<char> buffer, SocketAddress* from = nullptr);

  // Returns the address of HOST:PORT for SendTo; the host may be a name. INVALID_ARGUMENT for an
  // address that is invalid, or has no address of this socket's family.
  absl::StatusOr<SocketAddress> Resolve(absl::string_view address) const;
  // Sends from this socket's port. Never blocks. Returns false if the system did not accept the
  // datagram.
  bool SendTo(const SocketAddress& to, absl::string_view datagram);

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
  // `address` is HOST:PORT, or HOST for the default port, if that is not 0; the host may be a name.
  // INVALID_ARGUMENT for an address that is invalid or cannot be resolved, UNAVAILABLE if no socket
  // can be opened.
  static absl::StatusOr<UdpSender> To(absl::string_view address, int default_port = 0);

  // Never blocks. Returns false if the system did not accept the datagram: the port has no
  // listener, or the buffer is full. The next one may succeed.
  bool Send(absl::string_view datagram);

  const std::string& address() const { return address_; }

 private:
  UdpSender(files::Descriptor file, std::string address)
      : file_(std::move(file)), address_(std::move(address)) {}
  files::Descriptor file_;
  std::string address_;
};

// Waits on sockets on one thread. Wake may be called on any thread.
class UdpWaiter {
 public:
  UdpWaiter();
  // Returns when a socket is readable, after `timeout_s`, or after Wake, which also ends all later
  // calls immediately.
  void Wait(absl::Span<const UdpReceiver* const> sockets, double timeout_s);
  void Wake();

 private:
  files::Descriptor wake_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_UDP_SOCKET_H_
