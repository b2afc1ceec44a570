// How much of what was sent has arrived. Internal to libs/service.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_BYTES_TAKEN_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_BYTES_TAKEN_H_

#include <cstdint>

namespace posewire::service::internal {

// Bytes of a TCP connection that the other side has acknowledged since its beginning: it takes no
// more than it has room for. 0 where the system does not tell.
uint64_t BytesTaken(int fd);

}  // namespace posewire::service::internal

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_BYTES_TAKEN_H_
