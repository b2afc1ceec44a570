// Joins triangles to the quads from which they were cut.
//
// Catmull-Clark needs quads: on triangles its surface has a ripple at every edge that was only a
// diagonal. Files of triangles mostly come from quads. Each edge between two triangles might be
// such a diagonal. The most rectangular quads are chosen first, and before all others those of
// consecutive triangles in the file, the order that cutting produces.
#ifndef POSEWIRE_LIBS_MESH_PAIR_TRIANGLES_H_
#define POSEWIRE_LIBS_MESH_PAIR_TRIANGLES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "libs/mesh/faces.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

// Returns quads, and triangles where no neighbour gives a quad that is convex, nearly flat and
// without too sharp a corner. Faces have the orientation of their triangles, and their order; a
// triangle with a repeated point is omitted. Indices are not checked.
Faces PairTriangles(absl::Span<const skel::Vec3> points, absl::Span<const uint32_t> triangles);

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_PAIR_TRIANGLES_H_
