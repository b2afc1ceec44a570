// The surface that is drawn, one level finer: Catmull-Clark on the points of a pose.
//
// Meshes are cut apart where a picture has a seam, a corner has two normals, or another material
// begins; light and form know nothing of that. So points of all meshes that are shown become one
// where they lie at one place and move alike (joints and shapes say so: lips that touch stay two),
// triangles become quads again (libs/mesh/pair_triangles.h), and the whole is refined at once. What
// is drawn stays cut as it was: each mesh has its own part of the fine surface, with its own
// coordinates and colours, the mean of those that a fine point lies between.
#ifndef POSEWIRE_LIBS_CHARACTER_REFINED_SURFACE_H_
#define POSEWIRE_LIBS_CHARACTER_REFINED_SURFACE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/character/deformer.h"
#include "libs/character/surface_weld.h"
#include "libs/mesh/subdivision.h"
#include "libs/mesh/vertex_frames.h"
#include "libs/skel/math.h"

namespace posewire::character {

// One thread at a time.
class RefinedSurface {
 public:
  // Of the meshes that `deformer` shows. Errors of mesh::Subdivision::Make, which has a limit.
  static absl::StatusOr<std::unique_ptr<RefinedSurface>> Make(const Deformer& deformer);

  // Which meshes stay as they are, and why; empty: none does.
  const std::string& left_out() const { return left_out_; }
  bool has(size_t mesh) const { return mesh < part_of_.size() && part_of_[mesh].has_value(); }

  // For a mesh that it has: fixed arrays, one entry a fine point, empty where the mesh has none;
  // triangles are counter-clockwise seen from outside.
  struct Part {
    size_t mesh = 0;
    std::vector<std::array<uint8_t, 4>> colors;
    std::vector<std::array<float, 2>> uv;
    std::vector<uint32_t> triangles;
    // Of the whole surface's points.
    std::vector<uint32_t> place;
    // After Pose, in character space; normals from four neighbours.
    std::vector<skel::Vec3> points, normals;
  };
  const Part& part(size_t mesh) const { return parts_[*part_of_[mesh]]; }

  // Refines a pose's points, which `points_of` gives for each mesh, one for each point of
  // Mesh::points. INVALID_ARGUMENT names a mesh with another count. Does not allocate.
  absl::Status Pose(absl::FunctionRef<absl::Span<const skel::Vec3>(size_t mesh)> points_of);

  // Points of the whole surface, before and after.
  size_t coarse_points() const { return sources_.size(); }
  size_t fine_points() const { return fine_.size(); }

 private:
  RefinedSurface() = default;

  std::string left_out_;
  std::vector<std::optional<size_t>> part_of_;  // by mesh
  std::vector<size_t> points_of_;               // by mesh, how many it has
  std::vector<Part> parts_;
  std::vector<SurfaceWeld::Source> sources_;
  std::optional<mesh::Subdivision> subdivision_;  // none: every mesh is left out
  std::vector<mesh::FourNeighbours> neighbours_;
  std::vector<skel::Vec3> coarse_, fine_, normals_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_REFINED_SURFACE_H_
