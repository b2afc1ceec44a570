// Normals and tangents of a deformed mesh, from four neighbours of each vertex.
//
// Which four is found once, at rest; what is left to do per frame are two differences and a cross
// product. With A, B, C, D in order round the vertex the normal is (A - C) x (B - D), and the
// tangent along U is a combination of the same differences, whose factors hang on the UVs alone.
// Of more than four neighbours every other is taken where there are eight, else those that lie
// nearest to right angles; where there are fewer, the vertex itself fills the gap, which is exact
// for a straight border and rough for corners of three.
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

// One a point; a point without faces is its own neighbours. Where faces meet in a point alone, the
// largest fan of them counts. INVALID_ARGUMENT: as Faces::Validate, or other than one of `rest` a
// point.
absl::StatusOr<std::vector<FourNeighbours>> FindNeighbours(const Faces& faces,
                                                           absl::Span<const skel::Vec3> rest);

// `uv` has one entry a corner of `faces`. Neighbours are those of one chart: where a seam passes
// through the point, of its largest one. Rules are zero where UVs span no area. Errors as above.
absl::StatusOr<std::vector<TangentRule>> FindTangents(const Faces& faces,
                                                      absl::Span<const skel::Vec3> rest,
                                                      absl::Span<const std::array<float, 2>> uv);

// Fill in, Run(). No allocation; any thread. Results are of unit length, or zero where neighbours
// lie in a line. Tangents follow the mesh, and are not made square to the normals.
struct VertexFramesJob {
  absl::Span<const skel::Vec3> points;
  absl::Span<const FourNeighbours> neighbours;  // one an out_normal; indices are not checked
  absl::Span<const TangentRule> tangents;       // one an out_tangent; may be empty
  absl::Span<skel::Vec3> out_normals, out_tangents;

  // INVALID_ARGUMENT: lengths that do not agree.
  absl::Status Run() const;
};

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_VERTEX_FRAMES_H_
