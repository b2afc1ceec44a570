// A character's points from its simple rig and offsets, ready to be drawn: v" = (v + sum of x o) S,
// and the normals of what comes out.
//
// Normals come from four neighbours (libs/mesh/vertex_frames.h): how they turn from the rest to the
// pose turns the file's own normal, so that what an artist chose, a seam or a hard edge, stays.
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
#include "libs/mesh/offsets.h"
#include "libs/mesh/vertex_frames.h"
#include "libs/skel/pose.h"

namespace posewire::character {

// By what `.offsets` files know what they were made of. Of all that S and v come from but the pose:
uint64_t MeshHash(const PointSkin& skin, const Character& character);
uint64_t MeshHash(const Deformer& shown);
// And of poses, frame after frame, from offsets::kHashSeed on.
uint64_t PoseHash(const skel::PoseView& pose, uint64_t seed);

// Texture coordinates of each point, each mesh beside the one before it; a mesh that has none is a
// line. What is not finite is 0.
std::vector<std::array<float, 2>> PointUv(const PointSkin& skin, const Character& character);

// One thread at a time.
class OffsetPoints {
 public:
  // Of the meshes that `deformer` shows. Errors of mesh::FindNeighbours.
  static absl::StatusOr<std::unique_ptr<OffsetPoints>> Make(const Deformer& deformer);

  const PointSkin& skin() const { return skin_; }

  // As PointSkin::Shares.
  absl::Status Shares(const Character& character, absl::Span<const float> of_joints,
                      absl::Span<float> out) const {
    return skin_.Shares(character, of_joints, out);
  }

  // In the deformer's pose; without clips the simple rig alone, which has no shapes. Each has one
  // offset for each of skin().points(): INVALID_ARGUMENT for other counts. Does not allocate after
  // the first time.
  // `own`: how much of what the deformer made itself, shapes and correctives, each point keeps (one
  // a point, after Deformer::Pose); none: nothing.
  absl::Status Pose(const Deformer& deformer, absl::Span<const mesh::WeighedOffsets> clips,
                    absl::Span<const float> own = {});

  // After Pose: for who skins elsewhere, the unit normals that the skin S takes to those of Pose
  // (where S flattens space, those at rest). INVALID_ARGUMENT for another count than
  // skin().points().
  absl::Status UnskinnedNormals(absl::Span<skel::Vec3> out) const;
  // Those of the file, in the order of skin().
  absl::Span<const skel::Vec3> rest_normals() const { return rest_normals_; }

  // Of a mesh that is shown, after Pose; in character space.
  absl::Span<const skel::Vec3> points(size_t mesh) const { return Of(mesh, points_); }
  absl::Span<const skel::Vec3> normals(size_t mesh) const { return Of(mesh, normals_); }

 private:
  explicit OffsetPoints(const Deformer& deformer);
  absl::Span<const skel::Vec3> Of(size_t mesh, const std::vector<skel::Vec3>& all) const;

  PointSkin skin_;
  std::vector<uint32_t> twins_;  // the first point at the same place, seams closed
  std::vector<mesh::FourNeighbours> neighbours_;
  std::vector<skel::Vec3> rest_normals_, rest_frames_;  // of the file, and of the neighbours
  std::vector<skel::Affine> transforms_;
  std::vector<skel::Vec3> points_, frames_, normals_, own_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_OFFSET_POINTS_H_
