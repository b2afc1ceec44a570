// The frame time of a BVH file: what is written, and what is meant.
#ifndef POSEWIRE_LIBS_FORMATS_BVH_FRAME_TIME_H_
#define POSEWIRE_LIBS_FORMATS_BVH_FRAME_TIME_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/motion.h"
#include "libs/timecode/frame_rate.h"

namespace posewire::bvh {

struct BvhFrameTime {
  asset::FrameClock clock;
  std::string doubt;  // what was assumed, and the flag that changes it; "": nothing was
};

// Of the text after "Frame Time:", in seconds. `fps` goes before it. Else:
// - 0.0333333 is a thirtieth, as the last of five decimals or more may be off by one;
// - 0 is 30 frames a second, and a negative time its amount;
// - over a second, a usual rate (30) is taken for frames a second, and what is a usual rate in
//   milliseconds (33.3) for that.
// All but the first are doubted, and so are other times over a second and rates over 1000.
//
// INVALID_ARGUMENT for what is no finite number, and for over 300 s.
absl::StatusOr<BvhFrameTime> ReadBvhFrameTime(absl::string_view text,
                                              const std::optional<timecode::FrameRate>& fps);

// Whether a time in seconds would be taken for another, so that it cannot be written.
bool IsMisreadBvhFrameTime(double frame_s);

}  // namespace posewire::bvh

#endif  // POSEWIRE_LIBS_FORMATS_BVH_FRAME_TIME_H_
