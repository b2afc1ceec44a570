// Measures the distances between the keys of a track, and the frame rate that they follow.
#ifndef POSEWIRE_LIBS_TIMECODE_KEY_SPACING_H_
#define POSEWIRE_LIBS_TIMECODE_KEY_SPACING_H_

#include <cstdint>
#include <optional>

#include "libs/timecode/frame_rate.h"

namespace posewire::timecode {

struct KeySpacing {
  int64_t keys = 0;
  double first_s = 0, last_s = 0;
  double shortest_s = 0, longest_s = 0;  // between neighbouring keys; needs at least two keys

  // Time codes must rise.
  void Add(double time_code_s);
  // Needs at least two keys.
  double MeanGap() const { return (last_s - first_s) / static_cast<double>(keys - 1); }
  // Returns whether the keys, at least two, are equally spaced to within 2 % or a tenth of a
  // millisecond.
  bool IsEven() const;
  // Returns the frame rate, a whole number or 1000/1001 of it, with one key per frame; nothing for
  // uneven keys, or if neither fits from the first key to the last.
  std::optional<FrameRate> Rate() const;
};

}  // namespace posewire::timecode

#endif  // POSEWIRE_LIBS_TIMECODE_KEY_SPACING_H_
