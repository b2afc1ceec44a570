// Polygons in space, cut into triangles.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_POLYGON_H_
#define POSEWIRE_LIBS_FORMATS_X3D_POLYGON_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/skel/math.h"

namespace posewire::x3d {

// Its length is twice the area; none for under three corners.
skel::Vec3 PolygonNormal(absl::Span<const skel::Vec3> loop);

// Adds triangles of corners, turning as the loop does. A loop that is not convex is cut by its ears
// (Meisters 1975): corners that stick out and hold no other corner. `effort` counts the corners
// that were looked at, over all loops of a file; past a hundred million of them, and where a
// loop crosses itself, the rest is cut as if it were convex.
void CutPolygon(absl::Span<const skel::Vec3> loop, bool convex, size_t& effort,
                std::vector<std::array<uint32_t, 3>>& triangles);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_POLYGON_H_
