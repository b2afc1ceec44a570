// A character as one list of points that joints alone move: the simple rig under offsets.
//
// The points of all meshes that are shown stand one after the other, at rest, without shapes. What
// shapes and film deformers add is left to offsets (libs/mesh/offsets.h).
#ifndef POSEWIRE_LIBS_CHARACTER_POINT_SKIN_H_
#define POSEWIRE_LIBS_CHARACTER_POINT_SKIN_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/character/deformer.h"
#include "libs/mesh/skin_job.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::character {

// Immutable but for its buffers: one thread at a time.
class PointSkin {
 public:
  // Of the meshes that `deformer` shows. It must have been given a pose before calls that take it.
  explicit PointSkin(const Deformer& deformer,
                     mesh::SkinningMethod method = mesh::SkinningMethod::kClassicLinear);

  size_t points() const { return rest_.size(); }
  absl::Span<const skel::Vec3> rest() const { return rest_; }
  // Points of the list; twins at seams are apart.
  absl::Span<const uint32_t> triangles() const { return triangles_; }
  // The weight of each point's heaviest joint.
  absl::Span<const float> heaviest() const { return heaviest_; }
  // Places in character().meshes, in order, and the first point of each.
  absl::Span<const size_t> meshes() const { return meshes_; }
  absl::Span<const size_t> first() const { return first_; }

  // S of each point in the deformer's pose, and how many points have the fallback
  // (mesh::PointTransformsJob). INVALID_ARGUMENT for another size of `out`.
  absl::Status Transforms(const Deformer& deformer, absl::Span<skel::Affine> out, size_t* singular);

  // The share of each point in what has these shares of the rig's joints: by its influences, where
  // a node that follows no joint goes with the one above it. INVALID_ARGUMENT for other sizes.
  absl::Status Shares(const Character& character, absl::Span<const float> of_joints,
                      absl::Span<float> out) const;

  // What the deformer made of the points, shapes and all. `normals` may be empty.
  void Gather(const Deformer& deformer, absl::Span<skel::Vec3> points,
              absl::Span<skel::Vec3> normals) const;

 private:
  mesh::SkinningMethod method_;
  std::vector<size_t> meshes_, first_;
  std::vector<skel::Vec3> rest_;
  std::vector<uint32_t> triangles_;
  std::vector<float> heaviest_;
  std::vector<skel::Affine> joints_;
  std::vector<size_t> singular_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_POINT_SKIN_H_
