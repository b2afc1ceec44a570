// Where in a picture each point lies.
//
// Codecs of pictures save what a pixel shares with those beside it, so neighbours in the picture
// should move alike. By index, points stand in squares of 8 x 8 pixels, the blocks of most codecs,
// in the order of the mesh. By UV, each stands where its texture coordinates put it, or on the
// nearest pixel that is free; some pixels stay empty, and the map costs bytes.
#ifndef POSEWIRE_LIBS_OFFSETS_PIXEL_MAP_H_
#define POSEWIRE_LIBS_OFFSETS_PIXEL_MAP_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/offsets/bytes.h"
#include "libs/offsets/method.h"

namespace posewire::offsets {

struct PixelMap {
  // Of width and height alike; a multiple of 8, told from the number of points.
  uint32_t side = 0;
  std::vector<uint32_t> pixels;  // of each point: row * side + column, no two the same

  static PixelMap ByIndex(size_t points);
  // Finite coordinates, one pair a point. Their ranks count, so that each row and each column is
  // asked for by as many points, whatever gaps there are. Points are placed in order; of free
  // pixels that are equally near, the one in the higher row is taken, then the one to the left.
  static PixelMap ByUv(absl::Span<const Uv> uv);

  // Points by their pixels, square after square; of ByIndex: as they are.
  std::vector<uint32_t> Order() const;
  // Of each pixel the point that it shows: its own, or a near one's where it has none. None: empty.
  std::vector<uint32_t> Shown() const;

  // Of ByUv: steps from point to point.
  void Write(ByteWriter& out) const;
  // False for what is none of so many points.
  bool Read(ByteReader& in, size_t points);
};

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_PIXEL_MAP_H_
