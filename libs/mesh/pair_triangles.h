// Triangles put back together to the quads that they were cut from.
//
// Catmull-Clark wants quads: on triangles its surface has a ripple at every edge that was only a
// diagonal. Files of triangles mostly come from quads. Each edge between two triangles might be
// such a diagonal; those whose quads are the most rectangular are taken first, and before all
// others those of triangles that stand one after the other in the file, as cutting leaves them.
#ifndef POSEWIRE_LIBS_MESH_PAIR_TRIANGLES_H_
#define POSEWIRE_LIBS_MESH_PAIR_TRIANGLES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "libs/mesh/faces.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

// Quads, and triangles where no neighbour makes a quad that is convex, nearly flat and not too
// sharp at a corner. Faces turn as their triangles do, and stand in their order; a triangle with a
// point twice is left out. Indices are not checked.
Faces PairTriangles(absl::Span<const skel::Vec3> points, absl::Span<const uint32_t> triangles);

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_PAIR_TRIANGLES_H_
