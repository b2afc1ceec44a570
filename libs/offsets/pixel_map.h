// Positions of points in a picture.
//
// Picture codecs exploit similarity of adjacent pixels, so neighbours in the picture should move
// alike. By index, points are in squares of 8 x 8 pixels, the blocks of most codecs, in the order
// of the mesh. By UV, each is at its texture coordinates, or at the nearest free pixel; some pixels
// stay empty, and the map takes bytes.
#ifndef POSEWIRE_LIBS_OFFSETS_PIXEL_MAP_H_
#define POSEWIRE_LIBS_OFFSETS_PIXEL_MAP_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/offsets/bytes.h"
#include "libs/offsets/method.h"

namespace posewire::offsets {

struct PixelMap {
  // Width and height; a multiple of 8 that follows from the number of points.
  uint32_t side = 0;
  std::vector<uint32_t> pixels;  // per point: row * side + column, all different

  static PixelMap ByIndex(size_t points);
  // Finite coordinates, one pair per point. Uses their ranks, so that each row and each column is
  // wanted by equally many points, whatever gaps there are. Points are placed in order; of equally
  // near free pixels, takes the one in the higher row, then the one to the left.
  static PixelMap ByUv(absl::Span<const Uv> uv);

  // Returns points in the order of their pixels, square by square; unchanged for ByIndex.
  std::vector<uint32_t> Order() const;
  // Returns the point that each pixel shows: its own, or a near one's if it has none. Empty if
  // there are none.
  std::vector<uint32_t> Shown() const;

  // For ByUv: steps from point to point.
  void Write(ByteWriter& out) const;
  // Returns false for an invalid map of this many points.
  bool Read(ByteReader& in, size_t points);
};

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_PIXEL_MAP_H_
