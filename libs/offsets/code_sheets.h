// Box codes as three sheets, one per axis, the input of picture, audio and video codecs.
//
// Points that do not move are omitted; the boxes determine which. A flat side of a moving point has
// no codes. Its place has a copy of its neighbour's codes, which cost a codec least.
#ifndef POSEWIRE_LIBS_OFFSETS_CODE_SHEETS_H_
#define POSEWIRE_LIBS_OFFSETS_CODE_SHEETS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/offsets/boxes.h"

namespace posewire::offsets {

// Returns points with a side that is not flat, in order.
inline std::vector<uint32_t> MovingPointsOf(const Boxes& boxes) {
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < boxes.sides.size() / 3; ++i) {
    const Boxes::Side* const side = &boxes.sides[3 * size_t{i}];
    if (side[0].low < side[0].high || side[1].low < side[1].high || side[2].low < side[2].high) {
      out.push_back(i);
    }
  }
  return out;
}

template <typename Code>
struct CodeSheets {
  size_t points = 0, frames = 0;  // moving points
  std::vector<Code> codes;  // axis after axis, point after point, each a series over the frames

  CodeSheets(size_t points, size_t frames)
      : points(points), frames(frames), codes(3 * points * frames) {}
  absl::Span<Code> series(size_t axis, size_t point) {
    return absl::MakeSpan(codes).subspan((axis * points + point) * frames, frames);
  }
  absl::Span<const Code> series(size_t axis, size_t point) const {
    return absl::MakeConstSpan(codes).subspan((axis * points + point) * frames, frames);
  }
};

// Converts from series of the flexible sides, in order, and back.
template <typename Code>
CodeSheets<Code> ToSheets(const Boxes& boxes, absl::Span<const uint32_t> moving,
                          absl::Span<const Code> series, size_t frames) {
  CodeSheets<Code> out(moving.size(), frames);
  size_t at = 0;
  for (size_t k = 0; k < moving.size(); ++k) {
    for (size_t axis = 0; axis < 3; ++axis) {
      const Boxes::Side side = boxes.sides[3 * size_t{moving[k]} + axis];
      const absl::Span<Code> to = out.series(axis, k);
      if (side.low < side.high) {
        std::copy_n(series.begin() + static_cast<int64_t>(at), frames, to.begin());
        at += frames;
      } else if (k > 0) {
        const absl::Span<const Code> before = out.series(axis, k - 1);
        std::copy(before.begin(), before.end(), to.begin());
      }
    }
  }
  return out;
}

template <typename Code>
std::vector<Code> FromSheets(const Boxes& boxes, absl::Span<const uint32_t> moving,
                             const CodeSheets<Code>& sheets) {
  std::vector<Code> out;
  out.reserve(boxes.flexible * sheets.frames);
  for (size_t k = 0; k < moving.size(); ++k) {
    for (size_t axis = 0; axis < 3; ++axis) {
      const Boxes::Side side = boxes.sides[3 * size_t{moving[k]} + axis];
      if (side.low == side.high) continue;
      const absl::Span<const Code> from = sheets.series(axis, k);
      out.insert(out.end(), from.begin(), from.end());
    }
  }
  return out;
}

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_CODE_SHEETS_H_
