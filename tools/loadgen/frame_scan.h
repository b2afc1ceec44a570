// The few facts that a load generator needs of a message, read without building one.
#ifndef POSEWIRE_TOOLS_LOADGEN_FRAME_SCAN_H_
#define POSEWIRE_TOOLS_LOADGEN_FRAME_SCAN_H_

#include <cstdint>
#include <limits>

#include "absl/types/span.h"

namespace posewire::loadgen {

struct FrameFacts {
  enum Kind { kHeader, kData, kStatus };
  Kind kind = kData;
  // kHeader: Unix time of code 0.
  double epoch_s = 0;
  // kData: the code of the first blend shape key, else that of the audio; NaN without either.
  double time_code_s = std::numeric_limits<double>::quiet_NaN();
  bool has_pose = false;
  // kData: 16-bit samples, little endian, in the message's own memory.
  absl::Span<const uint8_t> audio;
};

// `message` is one serialized AnimationDataStream. False when it cannot be read as one. It trusts
// the sender for all that it skips.
bool ScanFrame(absl::Span<const uint8_t> message, FrameFacts& facts);

}  // namespace posewire::loadgen

#endif  // POSEWIRE_TOOLS_LOADGEN_FRAME_SCAN_H_
