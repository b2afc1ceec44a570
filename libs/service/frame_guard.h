// Reads along the HTTP/2 frames that a client sends, and tells when no honest client would send so.
//
// gRPC takes any number of calls that are reset at once, of pings, and of CONTINUATION frames, and
// keeps or copies what they bring; it does so on the thread that reads for everybody. So one
// connection could hold up all the others for seconds. What is counted here costs gRPC most for
// each byte sent; sizes of calls and messages are its own to limit.
#ifndef POSEWIRE_LIBS_SERVICE_FRAME_GUARD_H_
#define POSEWIRE_LIBS_SERVICE_FRAME_GUARD_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace posewire::service {

struct FrameLimits {
  // Of one call: bytes and frames of HEADERS and CONTINUATION. gRPC refuses the call of a block
  // that is larger than its metadata may be, but has to read it to its end first.
  size_t max_header_block_bytes = 64 << 10;
  int max_header_block_frames = 16;
  // Frames that carry nothing of a call: RST_STREAM, PING, SETTINGS, PRIORITY, GOAWAY, empty DATA
  // and unknown kinds. So many at once, and a second.
  double control_frames_at_once = 250;
  double control_frames_per_s = 100;
};

// Of one connection, from its first byte on. Not thread-safe.
class FrameGuard {
 public:
  explicit FrameGuard(const FrameLimits& limits)
      : limits_(limits), control_left_(limits.control_frames_at_once) {}

  // What has come next, in pieces of any size. Null, or why the connection should be cut: text that
  // lives as long as the program. `now_s` does not go back.
  const char* Read(absl::Span<const uint8_t> bytes, double now_s);

 private:
  static constexpr size_t kPrefaceBytes = 24;
  static constexpr size_t kFrameHeadBytes = 9;

  const char* OnFrame(double now_s);
  const char* OnControlFrame(double now_s);

  FrameLimits limits_;
  size_t skip_ = kPrefaceBytes;  // bytes until the next frame
  std::array<uint8_t, kFrameHeadBytes> head_{};
  size_t head_size_ = 0;
  size_t block_bytes_ = 0;
  int block_frames_ = 0;
  double control_left_;
  double last_s_ = 0;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_FRAME_GUARD_H_
