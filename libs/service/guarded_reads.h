// Puts a FrameGuard before what gRPC reads from a connection.
#ifndef POSEWIRE_LIBS_SERVICE_GUARDED_READS_H_
#define POSEWIRE_LIBS_SERVICE_GUARDED_READS_H_

#include <functional>
#include <memory>

#include "libs/service/frame_guard.h"

namespace posewire::service {

// gRPC has no seam between socket and parser, and reads by recvmsg alone. This program has a
// recvmsg of its own, which calls the system's and looks at what came by a socket that is guarded.
// One that breaks the limits gets a GOAWAY, and its reader ECONNRESET, as if the client had gone.
// A connection in TLS cannot be read along; do not guard it.
//
// `cut` gets the socket and the reason, on the thread that reads. It is not called again for this
// connection, nor after that is closed.
using OnCut = std::function<void(int fd, const char* why)>;

// From the first byte on, until the socket is closed; before anybody reads from it. Thread-safe.
void GuardReads(int fd, const FrameLimits& limits, std::shared_ptr<const OnCut> cut);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_GUARDED_READS_H_
