#include "libs/service/tcp_cork.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace posewire::service {
namespace {

// If `fd` is no longer a TCP socket, this only returns an error.
bool SetCork(int fd, int on) { return setsockopt(fd, IPPROTO_TCP, TCP_CORK, &on, sizeof(on)) == 0; }

}  // namespace

void TcpCork::Begin() {
  open_ = true;
  ++batch_;
}

void TcpCork::BeforeWrite(int fd) {
  if (!open_ || fd < 0) return;
  Line& line = lines_[static_cast<size_t>(fd) % kLines];
  if (line.fd != fd) line = {.fd = fd};
  if (line.batch != batch_) {
    line = {.fd = fd, .had_many = line.many, .batch = batch_};
  } else {
    line.many = true;
  }
  if (line.tried || !(line.had_many || line.many)) return;
  line.tried = true;
  if (corked_count_ < kMostCorked && SetCork(fd, 1)) corked_[corked_count_++] = fd;
}

void TcpCork::End() {
  for (size_t i = 0; i < corked_count_; ++i) SetCork(corked_[i], 0);
  corked_count_ = 0;
  open_ = false;
}

}  // namespace posewire::service
