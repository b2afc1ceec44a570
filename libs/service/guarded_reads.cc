#include "libs/service/guarded_reads.h"

#include <dlfcn.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "absl/strings/string_view.h"
#include "libs/service/socket_cookie.h"

namespace posewire::service {
namespace {

struct GuardedSocket {
  FrameGuard guard;
  uint64_t cookie;
  std::shared_ptr<const OnCut> cut;
};

// Indexed by descriptor. It must be global for recvmsg to find it. Linux allows no more files per
// process by default; a socket beyond that is not guarded. Pages of unused numbers take no memory.
constexpr size_t kMostGuarded = 1 << 20;
std::array<std::atomic<GuardedSocket*>, kMostGuarded> g_sockets;

std::atomic<GuardedSocket*>* Find(int fd) {
  const auto index = static_cast<size_t>(fd);
  return fd >= 0 && index < kMostGuarded ? &g_sockets[index] : nullptr;
}

double Now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// RFC 9113, 6.8, with ENHANCE_YOUR_CALM. A lost one is harmless, because the connection ends
// anyway.
void SendGoaway(int fd, absl::string_view why) {
  std::array<uint8_t, 128> frame{0, 0, 0, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 11};
  const size_t said = std::min(why.size(), frame.size() - 17);
  frame[2] = static_cast<uint8_t>(8 + said);
  memcpy(frame.data() + 17, why.data(), said);
  send(fd, frame.data(), 17 + said, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// Returns false if the connection must be closed.
bool Inspect(int fd, const msghdr& message, size_t size) {
  std::atomic<GuardedSocket*>* const place = Find(fd);
  GuardedSocket* const guarded =
      place == nullptr ? nullptr : place->load(std::memory_order_acquire);
  if (guarded == nullptr || guarded->cut == nullptr) return true;
  const char* why = nullptr;
  for (size_t i = 0; i < message.msg_iovlen && size > 0 && why == nullptr; ++i) {
    const iovec& part = message.msg_iov[i];
    const size_t some = std::min(size, part.iov_len);
    why = guarded->guard.Read({static_cast<const uint8_t*>(part.iov_base), some}, Now_s());
    size -= some;
  }
  if (why == nullptr) return true;
  const std::shared_ptr<const OnCut> cut = std::exchange(guarded->cut, nullptr);
  if (CookieOf(fd) != guarded->cookie) return true;  // the bytes of another socket
  SendGoaway(fd, why);
  (*cut)(fd, why);
  return false;
}

}  // namespace

void GuardReads(int fd, const FrameLimits& limits, std::shared_ptr<const OnCut> cut) {
  std::atomic<GuardedSocket*>* const place = Find(fd);
  if (place == nullptr) return;
  // The previous socket with this number is closed, so its guard is no longer in use.
  delete place->exchange(new GuardedSocket{FrameGuard(limits), CookieOf(fd), std::move(cut)},
                         std::memory_order_acq_rel);
}

}  // namespace posewire::service

extern "C" __attribute__((visibility("default"))) ssize_t recvmsg(int fd, msghdr* message,
                                                                  int flags) {
  using Recvmsg = ssize_t (*)(int, msghdr*, int);
  static const auto system = reinterpret_cast<Recvmsg>(dlsym(RTLD_NEXT, "recvmsg"));
  const ssize_t size = system(fd, message, flags);
  if (size > 0 && (flags & MSG_PEEK) == 0 &&
      !posewire::service::Inspect(fd, *message, static_cast<size_t>(size))) {
    errno = ECONNRESET;
    return -1;
  }
  return size;
}
