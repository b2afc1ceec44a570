// Interprets the frame time of a BVH file, which may be rounded or in a wrong unit.
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
  std::string doubt;  // the assumption, and the flag that changes it; "": none
};

// Parses the text after "Frame Time:", in seconds. `fps` overrides it. Otherwise:
// - 0.0333333 is a thirtieth, because the last of five or more decimals may be off by one;
// - 0 is 30 frames a second, and a negative time its absolute value;
// - over a second, a usual rate (30) is treated as frames per second, and a usual frame time in
//   milliseconds (33.3) as that.
// All but the first cause a doubt, and so do other times over a second and rates over 1000.
//
// INVALID_ARGUMENT if it is not a finite number, and for over 300 s.
absl::StatusOr<BvhFrameTime> ReadBvhFrameTime(absl::string_view text,
                                              const std::optional<timecode::FrameRate>& fps);

// Returns true if the reader would change this time in seconds, so that it cannot be written.
bool IsMisreadBvhFrameTime(double frame_s);

}  // namespace posewire::bvh

#endif  // POSEWIRE_LIBS_FORMATS_BVH_FRAME_TIME_H_
