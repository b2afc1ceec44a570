// Addresses to listen on: HOST:PORT, [V6]:PORT, unix:PATH.
#ifndef POSEWIRE_LIBS_SERVICE_ADDRESS_H_
#define POSEWIRE_LIBS_SERVICE_ADDRESS_H_

#include <sys/socket.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::service {

struct ListenAddress {
  std::string host;       // Without brackets; empty for a unix socket.
  int port = 0;           // 0: any free one.
  std::string unix_path;  // Not empty: a unix socket.

  // Returns "127.0.0.1:51000", "[::1]:51000" or "unix:/run/x.sock".
  std::string ToString() const;
  // Returns an address that clients on this machine can dial: loopback if this is a wildcard
  // (0.0.0.0, ::).
  std::string CallableText() const;
};

// INVALID_ARGUMENT describes the expected form.
absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text);

// Returns OK for addresses that gRPC can dial: HOST:PORT, unix:PATH, dns:///... INVALID_ARGUMENT
// for a URL.
absl::Status CheckDialled(absl::string_view text);

// Returns true for a unix socket, 127.0.0.0/8, ::1 and "localhost". Other names count as not
// loopback.
bool IsLoopback(const ListenAddress& address);

// OK for an empty text, which means that no port is given, and for a number from 0 to 65535.
absl::Status CheckOptionalPort(absl::string_view text);

// FAILED_PRECONDITION for a TCP address that is not loopback, unless plain text is allowed.
absl::Status CheckPlaintext(const ListenAddress& address, bool allow_plaintext);

// Returns the addresses of this machine, of the family of `wildcard` (0.0.0.0 or ::), that other
// machines can call: those of interfaces that are up, except loopback and link-local ones.
std::vector<std::string> MachineAddresses(const ListenAddress& wildcard);

// An address of a socket: to bind, or of a sender.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  // Of IP addresses.
  void SetPort(int port);
  bool SameHost(const SocketAddress& other) const;  // Ignores the ports.
  std::string HostText() const;                     // "192.168.1.7"
};

// Returns all addresses of the host, with the port. INVALID_ARGUMENT if it has none.
absl::StatusOr<std::vector<SocketAddress>> ResolveListen(const ListenAddress& address);

// Returns the port that an IP socket is bound to; 0 if none.
int PortOf(int fd);

// Converts the errno of bind or listen: ALREADY_EXISTS if the address is in use, otherwise
// UNAVAILABLE with the system's reason.
absl::Status ListenError(const ListenAddress& address, int error);

// Tries to bind a TCP address and releases it again. Errors: those of the two functions above.
absl::Status ProbeBind(const ListenAddress& address);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_ADDRESS_H_
