// How far apart the keys of a track are, and the frame rate they follow.
#ifndef POSEWIRE_LIBS_TIMECODE_KEY_SPACING_H_
#define POSEWIRE_LIBS_TIMECODE_KEY_SPACING_H_

#include <cstdint>
#include <optional>

#include "libs/timecode/frame_rate.h"

namespace posewire::timecode {

struct KeySpacing {
  int64_t keys = 0;
  double first_s = 0, last_s = 0;
  double shortest_s = 0, longest_s = 0;  // between neighbouring keys; with two keys or more

  // In rising order.
  void Add(double code_s);
  // With two keys or more.
  double MeanGap() const { return (last_s - first_s) / static_cast<double>(keys - 1); }
  // Whether the keys, at least two, are equally far apart, to 2 % or a tenth of a millisecond.
  bool IsEven() const;
  // The whole number of frames a second, or 1000/1001 of it, at which the keys come, one per frame;
  // none for uneven keys, or if neither fits from end to end.
  std::optional<FrameRate> Rate() const;
};

}  // namespace posewire::timecode

#endif  // POSEWIRE_LIBS_TIMECODE_KEY_SPACING_H_
