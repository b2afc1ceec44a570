// What an EncodedFrame shares: one block of bytes. Private to the frame writer.
//
//   | prefix without pose | prefix with pose | pose | audio, camera, metadata |
//   0                     whole_at                  rest_at                   end
//
// Whole() is everything from whole_at on; WithoutPose() is the first prefix and the rest.
#ifndef POSEWIRE_LIBS_WIRE_ENCODED_REP_H_
#define POSEWIRE_LIBS_WIRE_ENCODED_REP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libs/wire/frame_writer.h"

namespace posewire::wire {

struct EncodedFrame::Rep {
  std::vector<uint8_t> bytes;  // as many as there is room for
  size_t whole_at = 0;
  size_t rest_at = 0;
  size_t end = 0;
  bool has_pose = false;
  bool is_data = false;
  double code_s = 0;

  // Makes room for `n` bytes; previous contents are lost. Leaves some room to spare, since the size
  // of a frame varies by a sample from tick to tick.
  void Reserve(size_t n) {
    if (n > bytes.size()) bytes = std::vector<uint8_t>(n + n / 8 + 64);
  }
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_ENCODED_REP_H_
