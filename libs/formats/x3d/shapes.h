// The surface of one geometry node of an X3D scene: triangulated polygons, and X3D's parametric
// solids.
//
// X3D has separate indices for points, normals, colours and picture coordinates, and defines sharp
// edges by an angle. A character's point has one of each, so each corner of a face becomes a point,
// and identical corners are merged.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_SHAPES_H_
#define POSEWIRE_LIBS_FORMATS_X3D_SHAPES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/character/limits.h"
#include "libs/formats/x3d/scene.h"
#include "libs/formats/x3d/surface_fields.h"
#include "libs/skel/math.h"

namespace posewire::x3d {

struct X3dSurface {
  size_t file_points = 0;
  std::vector<uint32_t> point_of;  // the file's point of each point
  std::vector<skel::Vec3> points, normals;
  std::vector<std::array<uint8_t, 4>> colors;  // linear; may be empty
  std::vector<std::array<float, 2>> uv;        // from the top; may be empty
  std::vector<uint32_t> triangles;             // counter-clockwise seen from outside
  bool solid = true;                           // only visible from outside
};

// Returns true if it has a surface that can be read.
bool HasX3dSurface(absl::string_view type);
// Returns the surface in the node's own space and units. `textured`: it has a picture, so
// coordinates are generated if the file has none, as in ISO/IEC 19775-1. `normals` (null: none) has
// one vector for each point, for a node without normals of its own; with fewer, they are computed.
// INVALID_ARGUMENT begins with the line and names field, index and value; RESOURCE_EXHAUSTED names
// a limit.
absl::StatusOr<X3dSurface> ReadX3dSurface(const Scene& scene, const X3dNode& geometry,
                                          bool textured, const character::Limits& limits,
                                          X3dNumbers& numbers, const X3dNode* normals = nullptr);

// Box, Sphere, Cylinder and Cone, for ReadX3dSurface.
absl::StatusOr<X3dSurface> ReadX3dSolid(const X3dNode& node);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_SHAPES_H_
