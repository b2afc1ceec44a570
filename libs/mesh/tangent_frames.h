// Tangents along U for normal maps, on meshes whose UVs have seams and mirrored parts.
//
// Tangents come from the posed points by the rules of FindTangents, so they follow every
// deformation. Tangents of a file are kept as their angles about the normals from the computed
// ones at rest, and so follow it too.
//
// Where a picture is mirrored on one side of a seam, as in the middle of many faces, a point has a
// tangent for each side. Such points are repeated after the others.
#ifndef POSEWIRE_LIBS_MESH_TANGENT_FRAMES_H_
#define POSEWIRE_LIBS_MESH_TANGENT_FRAMES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/mesh/vertex_frames.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

// A mesh at rest, one entry per point.
struct TangentSurface {
  absl::Span<const skel::Vec3> points, normals;
  absl::Span<const std::array<float, 2>> uv;  // V grows down the picture
  absl::Span<const uint32_t> triangles;       // counter-clockwise seen from outside
  // Those of a file, as in glTF: the tangent, then the sign in bitangent = sign * normal x tangent,
  // which points up the picture. May be empty; entries that are zero or not finite are computed.
  absl::Span<const std::array<float, 4>> tangents = {};
};

// Immutable once made; any thread.
class TangentFrames {
 public:
  // INVALID_ARGUMENT: lengths that do not match, or an index outside the points.
  static absl::StatusOr<TangentFrames> Make(const TangentSurface& rest);

  // Points with the repeated ones, which are last.
  size_t points() const { return rules_.size(); }
  // The point that each of these repeats.
  absl::Span<const uint32_t> repeats() const { return repeats_; }
  // The same triangles with repeated points.
  const std::vector<uint32_t>& triangles() const { return triangles_; }
  // +1, or -1 where the picture is mirrored: bitangent = sign * normal x tangent.
  const std::vector<float>& signs() const { return signs_; }

  // Copies points and normals of a pose, with repeated ones, and computes the tangents: of unit
  // length and perpendicular to the normals; zero where UVs span no area. Each array has points()
  // entries. No allocation. INVALID_ARGUMENT: lengths that do not match.
  absl::Status Run(absl::Span<const skel::Vec3> points, absl::Span<const skel::Vec3> normals,
                   absl::Span<skel::Vec3> out_points, absl::Span<skel::Vec3> out_normals,
                   absl::Span<skel::Vec3> out_tangents) const;

 private:
  TangentFrames() = default;
  void Split(const TangentSurface& rest);
  absl::Status TakeTurns(const TangentSurface& rest);

  std::vector<uint32_t> repeats_, triangles_;
  std::vector<TangentRule> rules_;
  std::vector<float> signs_;
  // Cosine and sine of the angle from the computed tangent to the file's; empty: none.
  std::vector<std::array<float, 2>> turns_;
};

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_TANGENT_FRAMES_H_
