// Computes a character's points from its simple rig and offsets, ready to be drawn: v" = p + (sum
// of x o) S, and the resulting normals. The simple rig is everything that a Deformer does: joints,
// shapes and pose correctives. So a live face moves on top of a clip's offsets.
//
// Normals are the file's own, rotated with the surface (libs/character/surface_turns.h).
#ifndef POSEWIRE_LIBS_CHARACTER_OFFSET_POINTS_H_
#define POSEWIRE_LIBS_CHARACTER_OFFSET_POINTS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/character/deformer.h"
#include "libs/character/point_skin.h"
#include "libs/character/surface_turns.h"
#include "libs/mesh/offsets.h"
#include "libs/skel/pose.h"

namespace posewire::character {

// Hashes by which `.offsets` files identify their source. This one covers what S and p depend on:
// points, weights, shapes and pose correctives. It leaves out the pose, and which of the rig's
// shapes drive the mesh's, because rigs with more shapes number them differently.
uint64_t MeshHash(const PointSkin& skin, const Character& character);
uint64_t MeshHash(const Deformer& shown);
// Covers poses, frame after frame, beginning with offsets::kHashSeed.
uint64_t PoseHash(const skel::PoseView& pose, uint64_t seed);

// Returns texture coordinates of each point, the meshes side by side; a mesh without coordinates is
// a line. Values that are not finite become 0.
std::vector<std::array<float, 2>> PointUv(const PointSkin& skin, const Character& character);

// One thread at a time.
class OffsetPoints {
 public:
  // Uses the meshes that `deformer` shows. Errors: those of mesh::FindNeighbours.
  static absl::StatusOr<std::unique_ptr<OffsetPoints>> Make(const Deformer& deformer);

  const PointSkin& skin() const { return skin_; }

  // See PointSkin::Shares.
  absl::Status Shares(const Character& character, absl::Span<const float> of_joints,
                      absl::Span<float> out) const {
    return skin_.Shares(character, of_joints, out);
  }

  // Computes the points in the pose of the deformer's last Pose. Each clip has one offset for each
  // of skin().points(): INVALID_ARGUMENT for other counts. Does not allocate after the first call.
  absl::Status Pose(const Deformer& deformer, absl::Span<const mesh::WeighedOffsets> clips);

  // The same for the points that the skin makes alone, before whatever moves them after it.
  absl::Status PoseSkinned(const Deformer& deformer);

  // After either: the skin transform of each point.
  absl::Span<const skel::Affine> transforms() const { return transforms_; }
  // After either: all points, in the order of skin().
  absl::Span<const skel::Vec3> all_points() const { return points_; }

  // After either: writes the unit normals that the skin S transforms to those of Pose (those at
  // rest where S is degenerate), for callers who skin elsewhere. INVALID_ARGUMENT for a count other
  // than skin().points().
  absl::Status UnskinnedNormals(absl::Span<skel::Vec3> out) const;
  // The file's normals, in the order of skin().
  absl::Span<const skel::Vec3> rest_normals() const { return rest_normals_; }

  // For a visible mesh, after Pose; in character space.
  absl::Span<const skel::Vec3> points(size_t mesh) const { return Of(mesh, points_); }
  absl::Span<const skel::Vec3> normals(size_t mesh) const { return Of(mesh, normals_); }

 private:
  OffsetPoints(const Character& character, PointSkin skin, SurfaceTurns turns);
  absl::Status FindNormals();
  absl::Span<const skel::Vec3> Of(size_t mesh, const std::vector<skel::Vec3>& all) const;

  PointSkin skin_;
  SurfaceTurns turns_;
  std::vector<skel::Vec3> rest_normals_, rest_frames_;  // of the file, and of the neighbours
  std::vector<skel::Affine> transforms_;
  std::vector<skel::Vec3> points_, frames_, normals_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_OFFSET_POINTS_H_
