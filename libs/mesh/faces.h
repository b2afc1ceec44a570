// The faces of a mesh as indices of points.
#ifndef POSEWIRE_LIBS_MESH_FACES_H_
#define POSEWIRE_LIBS_MESH_FACES_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"

namespace posewire::mesh {

// Polygons, counter-clockwise seen from outside. Points at the same position should be one point,
// because faces that do not share points are not connected.
struct Faces {
  size_t points = 0;
  std::vector<int> sizes;    // number of corners of each face
  std::vector<int> corners;  // points of all corners, face after face

  // INVALID_ARGUMENT names the face if it has fewer than 3 corners or more than 1000, a corner that
  // is not a point, or a point twice; or reports that the sizes do not add up to the corners.
  absl::Status Validate() const;
};

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_FACES_H_
