// Triangulates polygons in space.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_POLYGON_H_
#define POSEWIRE_LIBS_FORMATS_X3D_POLYGON_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/skel/math.h"

namespace posewire::x3d {

// Its length is twice the area; zero for fewer than three corners.
skel::Vec3 PolygonNormal(absl::Span<const skel::Vec3> loop);

// Adds triangles of corners, in the loop's winding order. A concave loop is cut by its ears
// (Meisters 1975): corners that stick out and contain no other corner. `effort` counts the corners
// visited, over all loops of a file; above a hundred million, and where a loop crosses itself, the
// rest is cut as if it were convex.
void CutPolygon(absl::Span<const skel::Vec3> loop, bool convex, size_t& effort,
                std::vector<std::array<uint32_t, 3>>& triangles);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_POLYGON_H_
