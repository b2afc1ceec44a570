// Normals and tangents of a deformed mesh, from four neighbours of each vertex.
//
// The four neighbours are chosen once, at rest; per frame only two differences and a cross product
// remain. With A, B, C, D in order around the vertex, the normal is (A - C) x (B - D), and the
// tangent along U is a combination of the same differences, whose factors depend only on the UVs.
// Of eight neighbours, every second one is chosen; of other numbers above four, those nearest to
// right angles. With fewer than four, the vertex itself is used as well, which is exact for a
// straight border and approximate for corners of three.
#ifndef POSEWIRE_LIBS_MESH_VERTEX_FRAMES_H_
#define POSEWIRE_LIBS_MESH_VERTEX_FRAMES_H_

#include <array>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/mesh/faces.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

// A, B, C, D: counter-clockwise seen from outside.
using FourNeighbours = std::array<int, 4>;

// The tangent is a (A - C) + b (B - D).
struct TangentRule {
  FourNeighbours at;
  float a = 0, b = 0;
};

// Returns one entry per point; a point without faces is its own neighbours. Where faces meet only
// in a point, the largest fan of them counts. INVALID_ARGUMENT: see Faces::Validate, or `rest` not
// of one entry per point.
absl::StatusOr<std::vector<FourNeighbours>> FindNeighbours(const Faces& faces,
                                                           absl::Span<const skel::Vec3> rest);

// `uv` has one entry per corner of `faces`. Neighbours are from one chart: if a seam passes through
// the point, from its largest one. Rules are zero where UVs span no area. Errors as above.
absl::StatusOr<std::vector<TangentRule>> FindTangents(const Faces& faces,
                                                      absl::Span<const skel::Vec3> rest,
                                                      absl::Span<const std::array<float, 2>> uv);

// Set the fields, then call Run(). No allocation; any thread. Results have unit length, or are zero
// where neighbours are collinear. Tangents follow the mesh, and are not made perpendicular to the
// normals.
struct VertexFramesJob {
  absl::Span<const skel::Vec3> points;
  absl::Span<const FourNeighbours> neighbours;  // one per out_normal; indices are not checked
  absl::Span<const TangentRule> tangents;       // one per out_tangent; may be empty
  absl::Span<skel::Vec3> out_normals, out_tangents;

  // INVALID_ARGUMENT: lengths that do not match.
  absl::Status Run() const;
};

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_VERTEX_FRAMES_H_
