// A connected stream socket.
#ifndef POSEWIRE_TOOLS_LOADGEN_H2_SOCKET_H_
#define POSEWIRE_TOOLS_LOADGEN_H2_SOCKET_H_

#include <string>

#include "absl/status/statusor.h"

namespace posewire::loadgen {

// Connects to HOST:PORT or unix:PATH and returns a non-blocking socket, which the caller must
// close. INVALID_ARGUMENT for an address of a different form, UNAVAILABLE if the name cannot be
// resolved or the connection fails.
absl::StatusOr<int> Connect(const std::string& address);

}  // namespace posewire::loadgen

#endif  // POSEWIRE_TOOLS_LOADGEN_H2_SOCKET_H_
