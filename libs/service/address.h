// Addresses to listen on: HOST:PORT, [V6]:PORT, unix:PATH.
#ifndef POSEWIRE_LIBS_SERVICE_ADDRESS_H_
#define POSEWIRE_LIBS_SERVICE_ADDRESS_H_

#include <string>

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

// True for a unix socket, 127.0.0.0/8, ::1 and "localhost"; other names count as beyond loopback.
bool IsLoopback(const ListenAddress& address);

// FAILED_PRECONDITION for a TCP address beyond loopback without leave to speak plain text.
absl::Status CheckPlaintext(const ListenAddress& address, bool allow_plaintext);

// Tries to bind, and lets go again: ALREADY_EXISTS when someone listens there, UNAVAILABLE with the
// system's reason when it cannot be bound, INVALID_ARGUMENT for a host that has no address.
absl::Status ProbeBind(const ListenAddress& address);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_ADDRESS_H_
