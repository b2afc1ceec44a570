// Rotates a file's own normals with its surface, so that an artist's choice, a seam or a hard edge
// is kept: the rotation is that of the normal from four neighbours (libs/mesh/vertex_frames.h).
// Points at the same position are one, so that seams stay closed.
#ifndef POSEWIRE_LIBS_CHARACTER_SURFACE_TURNS_H_
#define POSEWIRE_LIBS_CHARACTER_SURFACE_TURNS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/mesh/vertex_frames.h"
#include "libs/skel/math.h"

namespace posewire::character {

// Returns `v` by length 1; up if it has none.
skel::Vec3 UnitNormal(skel::Vec3 v);

// Immutable once made; any thread.
class SurfaceTurns {
 public:
  // Points at rest, and triangles of them. Errors: those of mesh::FindNeighbours.
  static absl::StatusOr<SurfaceTurns> Make(absl::Span<const skel::Vec3> rest,
                                           absl::Span<const uint32_t> triangles);

  // Writes the normals of a pose by its neighbours, zero where they are collinear.
  // INVALID_ARGUMENT for counts other than those of `rest`. Does not allocate.
  absl::Status Frames(absl::Span<const skel::Vec3> points, absl::Span<skel::Vec3> out) const;

  // Rotates `normal` of point `i` from Frames in one pose to those in another. Returns false, and
  // changes nothing, where one of the two is zero.
  bool Turn(size_t i, absl::Span<const skel::Vec3> before, absl::Span<const skel::Vec3> after,
            skel::Vec3& normal) const;

 private:
  std::vector<uint32_t> twins_;
  std::vector<mesh::FourNeighbours> neighbours_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_SURFACE_TURNS_H_
