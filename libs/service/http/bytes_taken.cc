#include "libs/service/http/bytes_taken.h"

// The kernel's own tcp_info: the C library's version lacks the byte counts.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace posewire::service::internal {

uint64_t BytesTaken(int fd) {
  tcp_info info = {};
  socklen_t size = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  return info.tcpi_bytes_acked;
}

}  // namespace posewire::service::internal
