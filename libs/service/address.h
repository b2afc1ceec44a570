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

  // "127.0.0.1:51000", "[::1]:51000" or "unix:/run/x.sock".
  std::string ToString() const;
};

// INVALID_ARGUMENT that says what the text should look like.
absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text);

// OK for what gRPC may dial: HOST:PORT, unix:PATH, dns:///... INVALID_ARGUMENT for a web address.
absl::Status CheckDialled(absl::string_view text);

// True for a unix socket, 127.0.0.0/8, ::1 and "localhost"; other names count as beyond loopback.
bool IsLoopback(const ListenAddress& address);

// FAILED_PRECONDITION for a TCP address beyond loopback without leave to speak plain text.
absl::Status CheckPlaintext(const ListenAddress& address, bool allow_plaintext);

// One that bind takes.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  void SetPort(int port);  // Of an IP address.
};

// All addresses of the host, with the port. INVALID_ARGUMENT when it has none.
absl::StatusOr<std::vector<SocketAddress>> ResolveListen(const ListenAddress& address);

// The port that an IP socket is bound to; 0: none.
int PortOf(int fd);

// What errno of bind or listen means: ALREADY_EXISTS when someone listens there, else UNAVAILABLE
// with the system's reason.
absl::Status ListenError(const ListenAddress& address, int error);

// Tries to bind a TCP address, and lets go again: errors as of the two above.
absl::Status ProbeBind(const ListenAddress& address);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_ADDRESS_H_
