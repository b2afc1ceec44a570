// Reports how many sent bytes a peer has acknowledged. Internal to libs/service.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_BYTES_TAKEN_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_BYTES_TAKEN_H_

#include <cstdint>

namespace posewire::service::internal {

// Bytes that the peer of a TCP connection has acknowledged since the connection began; it
// acknowledges only what it has room for. 0 if the system does not report it.
uint64_t BytesTaken(int fd);

}  // namespace posewire::service::internal

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_BYTES_TAKEN_H_
