// Inserts a FrameGuard between a socket and gRPC's parser.
#ifndef POSEWIRE_LIBS_SERVICE_GUARDED_READS_H_
#define POSEWIRE_LIBS_SERVICE_GUARDED_READS_H_

#include <functional>
#include <memory>

#include "libs/service/frame_guard.h"

namespace posewire::service {

// gRPC has no hook between socket and parser, and reads only with recvmsg. This program defines its
// own recvmsg, which calls the system's and inspects bytes from guarded sockets. A connection that
// breaks the limits gets a GOAWAY, and its reader gets ECONNRESET, as if the client had
// disconnected. TLS connections cannot be inspected; do not guard them.
//
// `cut` gets the socket and the reason, on the thread that reads. It is called at most once per
// connection, and not after the connection is closed.
using OnCut = std::function<void(int fd, const char* why)>;

// Guards the socket from its first byte until it is closed. Call before any read. Thread-safe.
void GuardReads(int fd, const FrameLimits& limits, std::shared_ptr<const OnCut> cut);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_GUARDED_READS_H_
