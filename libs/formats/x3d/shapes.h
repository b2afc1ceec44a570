// The surface of one geometry node of an X3D scene: polygons as triangles, and the solids that X3D
// describes by their measures.
//
// X3D lists points, normals, colours and picture coordinates each with indices of their own, and
// says by an angle where an edge is an edge. A point of a character has one of each, so each corner
// of a face becomes a point, and corners that agree in all of it become the same one.
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
  std::vector<uint32_t> point_of;  // of each point, the file's
  std::vector<skel::Vec3> points, normals;
  std::vector<std::array<uint8_t, 4>> colors;  // linear; may be empty
  std::vector<std::array<float, 2>> uv;        // from the top; may be empty
  std::vector<uint32_t> triangles;             // counter-clockwise seen from outside
  bool solid = true;                           // seen from outside alone
};

// Whether it has a surface that is read.
bool HasX3dSurface(absl::string_view type);
// In the node's own space and units. `textured`: a picture is laid on it, so coordinates are made
// where the file has none, as ISO/IEC 19775-1 says. INVALID_ARGUMENT begins with the line and names
// field, index and value; RESOURCE_EXHAUSTED names a limit.
absl::StatusOr<X3dSurface> ReadX3dSurface(const Scene& scene, const Node& geometry, bool textured,
                                          const character::Limits& limits, X3dNumbers& numbers);

// Box, Sphere, Cylinder and Cone, by ReadX3dSurface.
absl::StatusOr<X3dSurface> ReadX3dSolid(const Node& node);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_SHAPES_H_
