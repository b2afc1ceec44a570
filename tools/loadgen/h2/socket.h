// A connected stream socket.
#ifndef POSEWIRE_TOOLS_LOADGEN_H2_SOCKET_H_
#define POSEWIRE_TOOLS_LOADGEN_H2_SOCKET_H_

#include <string>

#include "absl/status/statusor.h"

namespace posewire::loadgen {

// Connects to HOST:PORT or unix:PATH and returns the descriptor of a socket that does not block,
// which the caller closes. INVALID_ARGUMENT for what is no address, UNAVAILABLE when nobody
// listens.
absl::StatusOr<int> Connect(const std::string& address);

}  // namespace posewire::loadgen

#endif  // POSEWIRE_TOOLS_LOADGEN_H2_SOCKET_H_
