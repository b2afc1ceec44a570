// Which points make the faces of a mesh.
#ifndef POSEWIRE_LIBS_MESH_FACES_H_
#define POSEWIRE_LIBS_MESH_FACES_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"

namespace posewire::mesh {

// Polygons, counter-clockwise seen from outside. Points at one place should be one point: faces
// that do not share points do not meet.
struct Faces {
  size_t points = 0;
  std::vector<int> sizes;    // corners of each face
  std::vector<int> corners;  // points, face after face

  // INVALID_ARGUMENT names the face: fewer than 3 corners or more than 1000, a corner that is not a
  // point, a point twice in one face; or says that sizes do not add up to the corners.
  absl::Status Validate() const;
};

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_FACES_H_
