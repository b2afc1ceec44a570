// The block of bytes that copies of an EncodedFrame share. Private to the frame writer.
//
//   | prefix without pose | prefix with pose | pose | audio, camera, metadata |
//   0                     whole_at                  rest_at                   end
//
// Whole() is everything from whole_at on; WithoutPose() is the first prefix and the rest.
#ifndef POSEWIRE_LIBS_WIRE_ENCODED_REP_H_
#define POSEWIRE_LIBS_WIRE_ENCODED_REP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "libs/wire/frame_writer.h"

namespace posewire::wire {

struct EncodedFrame::Rep {
  explicit Rep(std::shared_ptr<std::atomic<int64_t>> of = nullptr) : meter(std::move(of)) {}
  ~Rep() { Count(-static_cast<int64_t>(bytes.size())); }
  Rep(const Rep&) = delete;
  Rep& operator=(const Rep&) = delete;

  const std::shared_ptr<std::atomic<int64_t>> meter;  // counts the bytes of all frames; may be null
  mutable std::weak_ptr<const Rep> bare;              // the copy without the pose, if there is one
  std::vector<uint8_t> bytes;                         // its size is the capacity
  size_t whole_at = 0;
  size_t rest_at = 0;
  size_t end = 0;
  bool has_pose = false;
  bool is_data = false;
  bool is_sparse = false;  // its pose changes that of the frame before it
  double time_code_s = 0;

  // Makes room for `n` bytes and discards the contents. Adds some spare room, because the size of a
  // frame varies by a sample from tick to tick.
  void Reserve(size_t n) {
    if (n > bytes.size()) Resize(n + n / 8 + 64);
  }
  void Resize(size_t n) {
    Count(static_cast<int64_t>(n) - static_cast<int64_t>(bytes.size()));
    bytes = std::vector<uint8_t>(n);
  }

 private:
  void Count(int64_t more) const {
    if (meter != nullptr) meter->fetch_add(more, std::memory_order_relaxed);
  }
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_ENCODED_REP_H_
