// The surface of one prim of a stage: triangulated polygons, and USD's parametric solids.
#ifndef POSEWIRE_LIBS_FORMATS_USD_SHAPES_H_
#define POSEWIRE_LIBS_FORMATS_USD_SHAPES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/usd/stage.h"
#include "libs/skel/math.h"

namespace posewire::usd {

// If values of a point differ from face to face, each corner of a face becomes a point.
struct Surface {
  size_t file_points = 0;
  std::vector<uint32_t> point_of;  // the file's point of each point
  std::vector<skel::Vec3> points, normals;
  std::vector<std::array<uint8_t, 4>> colors;  // linear; empty for one colour
  std::vector<std::array<float, 2>> uv;        // from the top; may be empty
  std::vector<uint32_t> triangles;
  std::vector<uint32_t> face_of;  // of each triangle
};

bool HasSurface(absl::string_view type);
// Returns true if neither the prim nor any above it is invisible, a proxy or a guide.
bool IsShown(const Stage& stage, int prim);

// Returns the surface in the prim's own space. INVALID_ARGUMENT begins with the line.
absl::StatusOr<Surface> ReadSurface(const Stage& stage, int prim);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_SHAPES_H_
