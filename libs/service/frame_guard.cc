#include "libs/service/frame_guard.h"

#include <algorithm>
#include <cstring>

namespace posewire::service {
namespace {

// RFC 9113, section 6.
enum FrameKind : uint8_t {
  kData = 0,
  kHeaders = 1,
  kWindowUpdate = 8,  // a client that reads a lot sends many
  kContinuation = 9,
};
constexpr uint8_t kEndStream = 1;
constexpr uint8_t kEndHeaders = 4;

}  // namespace

const char* FrameGuard::Read(absl::Span<const uint8_t> bytes, double now_s) {
  while (!bytes.empty()) {
    if (skip_ > 0) {
      const size_t some = std::min(skip_, bytes.size());
      skip_ -= some;
      bytes.remove_prefix(some);
      continue;
    }
    const size_t some = std::min(kFrameHeadBytes - head_size_, bytes.size());
    memcpy(head_.data() + head_size_, bytes.data(), some);
    head_size_ += some;
    bytes.remove_prefix(some);
    if (head_size_ < kFrameHeadBytes) break;
    head_size_ = 0;
    if (const char* why = OnFrame(now_s)) return why;
  }
  return nullptr;
}

const char* FrameGuard::OnFrame(double now_s) {
  const size_t size = size_t{head_[0]} << 16 | size_t{head_[1]} << 8 | head_[2];
  const uint8_t kind = head_[3];
  const uint8_t flags = head_[4];
  skip_ = size;
  switch (kind) {
    case kHeaders:
    case kContinuation:
      block_bytes_ += size;
      ++block_frames_;
      if (block_bytes_ > limits_.max_header_block_bytes ||
          block_frames_ > limits_.max_header_block_frames) {
        return "the headers of one call are too large";
      }
      if ((flags & kEndHeaders) != 0) {
        block_bytes_ = 0;
        block_frames_ = 0;
      }
      return nullptr;
    case kWindowUpdate:
      return nullptr;
    case kData:
      if (size > 0 || (flags & kEndStream) != 0) return nullptr;
      break;
    default:
      break;
  }
  return OnControlFrame(now_s);
}

const char* FrameGuard::OnControlFrame(double now_s) {
  control_left_ = std::min(limits_.control_frames_at_once,
                           control_left_ + (now_s - last_s_) * limits_.control_frames_per_s);
  last_s_ = now_s;
  control_left_ -= 1;
  return control_left_ < 0 ? "too many pings, settings or calls that were reset" : nullptr;
}

}  // namespace posewire::service
