// Distinguishes a socket from later ones with the same descriptor number.
#ifndef POSEWIRE_LIBS_SERVICE_SOCKET_COOKIE_H_
#define POSEWIRE_LIBS_SERVICE_SOCKET_COOKIE_H_

#include <sys/socket.h>

#include <cstdint>

namespace posewire::service {

// Descriptor numbers are reused, and there is no notification when a socket is closed, but its
// cookie is never reused. 0: this number is not a socket.
inline uint64_t CookieOf(int fd) {
  uint64_t cookie = 0;
  socklen_t size = sizeof(cookie);
  return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_SOCKET_COOKIE_H_
