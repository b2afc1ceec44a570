// Refines the drawn surface by one or two levels: Catmull-Clark on the points of a pose.
//
// Meshes are split where a picture has a seam, a corner has two normals, or another material
// begins; shape and lighting must ignore that. So points of all visible meshes are merged if they
// have the same position and move alike (by joints and shapes: lips that touch stay separate),
// triangles become quads again (libs/mesh/pair_triangles.h), and the whole is refined at once. The
// result is split as before: each mesh has its own part of the fine surface, with its own
// coordinates and colours, averaged from the coarse points of each fine point. The second level
// refines the first one's quads: two sparse sums a frame, because the sum of both would have too
// many weights for mesh::Subdivision to keep.
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
  static constexpr int kMostLevels = 2;

  // Uses the meshes that `deformer` shows. `levels` is 1 to kMostLevels. Errors: those of
  // mesh::Subdivision::Make, which has a limit.
  static absl::StatusOr<std::unique_ptr<RefinedSurface>> Make(const Deformer& deformer,
                                                              int levels = 1);

  // Meshes that are not refined, and why; empty: none.
  const std::string& left_out() const { return left_out_; }
  bool has(size_t mesh) const { return mesh < part_of_.size() && part_of_[mesh].has_value(); }

  // Fixed arrays of a refined mesh, one entry per fine point, empty if the mesh has none; triangles
  // are counter-clockwise seen from outside.
  struct Part {
    size_t mesh = 0;
    std::vector<std::array<uint8_t, 4>> colors;
    std::vector<std::array<float, 2>> uv;
    std::vector<uint32_t> triangles;
    // Indices of the whole surface's points.
    std::vector<uint32_t> place;
    // The points of the mesh whose mean a fine point is in coordinates and colours; unused entries
    // are kNoPoint.
    std::vector<std::array<uint32_t, 4>> mean_of;
    // After Pose, in character space; normals from four neighbours.
    std::vector<skel::Vec3> points, normals;
  };
  const Part& part(size_t mesh) const { return parts_[*part_of_[mesh]]; }

  // Refines a pose. `points_of` returns the points of each mesh, one for each of Mesh::points.
  // INVALID_ARGUMENT names a mesh with another count. Does not allocate.
  absl::Status Pose(absl::FunctionRef<absl::Span<const skel::Vec3>(size_t mesh)> points_of);

  // Points of the whole surface, before and after.
  size_t coarse_points() const { return sources_.size(); }
  size_t fine_points() const { return levels_.empty() ? 0 : levels_.back().points.size(); }

  // What Pose computes with at the first level, for others to do the same: the mesh and its point
  // that each point of the coarse surface is, the rule that refines them (null: no mesh is
  // refined), and each fine point's neighbours, by which its normal is found.
  absl::Span<const SurfaceWeld::Source> sources() const { return sources_; }
  const mesh::Subdivision* subdivision() const {
    return levels_.empty() ? nullptr : &levels_.front().weights;
  }
  absl::Span<const mesh::FourNeighbours> neighbours() const { return neighbours_; }

 private:
  struct Level {
    mesh::Subdivision weights;
    std::vector<skel::Vec3> points;  // of the pose
  };

  RefinedSurface() = default;
  absl::Status RefinePoints();

  std::string left_out_;
  std::vector<std::optional<size_t>> part_of_;  // by mesh
  std::vector<size_t> points_of_;               // by mesh, its number of points
  std::vector<Part> parts_;
  std::vector<SurfaceWeld::Source> sources_;
  std::vector<Level> levels_;  // coarsest first; empty: no mesh is refined
  std::vector<mesh::FourNeighbours> neighbours_;
  std::vector<skel::Vec3> coarse_, normals_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_REFINED_SURFACE_H_
