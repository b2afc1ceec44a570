// What tells one socket from the next that gets its number.
#ifndef POSEWIRE_LIBS_SERVICE_SOCKET_COOKIE_H_
#define POSEWIRE_LIBS_SERVICE_SOCKET_COOKIE_H_

#include <sys/socket.h>

#include <cstdint>

namespace posewire::service {

// Numbers are used again, and nobody tells when a socket is closed; its cookie never comes again.
// 0: no socket has this number.
inline uint64_t CookieOf(int fd) {
  uint64_t cookie = 0;
  socklen_t size = sizeof(cookie);
  return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_SOCKET_COOKIE_H_
