// Inspects the HTTP/2 frames that a client sends, and detects abuse.
//
// gRPC accepts any number of calls that are reset immediately, of pings, and of CONTINUATION
// frames, and stores or copies their contents, on the thread that reads for all connections. One
// connection could therefore block all others for seconds. The frames counted here are the most
// expensive for gRPC per byte sent; gRPC itself limits the sizes of calls and messages.
#ifndef POSEWIRE_LIBS_SERVICE_FRAME_GUARD_H_
#define POSEWIRE_LIBS_SERVICE_FRAME_GUARD_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace posewire::service {

struct FrameLimits {
  // Per call: bytes and frames of HEADERS and CONTINUATION. gRPC rejects a call whose header block
  // is larger than allowed metadata, but must read the block completely first.
  size_t max_header_block_bytes = 64 << 10;
  int max_header_block_frames = 16;
  // Limits on frames that carry no call data: RST_STREAM, PING, SETTINGS, PRIORITY, GOAWAY, empty
  // DATA and unknown kinds. This many at once, and per second.
  double control_frames_at_once = 250;
  double control_frames_per_s = 100;
};

// State of one connection, from its first byte on. Not thread-safe.
class FrameGuard {
 public:
  explicit FrameGuard(const FrameLimits& limits)
      : limits_(limits), control_left_(limits.control_frames_at_once) {}

  // Inspects the next bytes, in pieces of any size. Returns null, or the reason why the connection
  // must be closed: a string constant. `now_s` must not decrease.
  const char* Read(absl::Span<const uint8_t> bytes, double now_s);

 private:
  static constexpr size_t kPrefaceBytes = 24;
  static constexpr size_t kFrameHeadBytes = 9;

  const char* OnFrame(double now_s);
  const char* OnControlFrame(double now_s);

  FrameLimits limits_;
  size_t skip_ = kPrefaceBytes;  // bytes to skip before the next frame
  std::array<uint8_t, kFrameHeadBytes> head_{};
  size_t head_size_ = 0;
  size_t block_bytes_ = 0;
  int block_frames_ = 0;
  double control_left_;
  double last_s_ = 0;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_FRAME_GUARD_H_
