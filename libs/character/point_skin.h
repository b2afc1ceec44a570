// A character as one list of points, and the skin transform of each: the simple rig under offsets.
//
// The list has the points of all visible meshes in sequence. Offsets (libs/mesh/offsets.h) are what
// a film character's points differ by from those of the deformer (Gather), taken back through the
// skin (Transforms).
#ifndef POSEWIRE_LIBS_CHARACTER_POINT_SKIN_H_
#define POSEWIRE_LIBS_CHARACTER_POINT_SKIN_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/mesh/skin_job.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::character {

class Deformer;

// Immutable except its buffers: one thread at a time.
class PointSkin {
 public:
  // Uses the meshes that `deformer` shows. It must have a pose before it is passed to the methods.
  explicit PointSkin(const Deformer& deformer,
                     mesh::SkinningMethod method = mesh::SkinningMethod::kClassicLinear);

  size_t points() const { return rest_.size(); }
  // Points at rest, without shapes.
  absl::Span<const skel::Vec3> rest() const { return rest_; }
  // Indices in the list; twins at seams are separate.
  absl::Span<const uint32_t> triangles() const { return triangles_; }
  // The weight of each point's heaviest joint, and the node that it is.
  absl::Span<const float> heaviest() const { return heaviest_; }
  absl::Span<const int> heaviest_nodes() const { return heaviest_nodes_; }
  // Indices in character().meshes, in order, and the first point of each.
  absl::Span<const size_t> meshes() const { return meshes_; }
  absl::Span<const size_t> first() const { return first_; }

  // Writes the skin transform S of each point (libs/mesh/offsets.h) in the deformer's pose, and the
  // number of points that use the fallback of mesh::PointTransformsJob. INVALID_ARGUMENT if `out`
  // does not have points() entries.
  absl::Status Transforms(const Deformer& deformer, absl::Span<skel::Affine> out, size_t* singular);

  // Converts shares of the rig's joints to shares of points, by their influences. A node that
  // follows no joint has the share of the one above it. INVALID_ARGUMENT for other sizes.
  absl::Status Shares(const Character& character, absl::Span<const float> of_joints,
                      absl::Span<float> out) const;

  // Copies the deformer's points, including shapes. `normals` may be empty.
  void Gather(const Deformer& deformer, absl::Span<skel::Vec3> points,
              absl::Span<skel::Vec3> normals) const;

 private:
  mesh::SkinningMethod method_;
  std::vector<size_t> meshes_, first_;
  std::vector<skel::Vec3> rest_;
  std::vector<uint32_t> triangles_;
  std::vector<float> heaviest_;
  std::vector<int> heaviest_nodes_;
  std::vector<skel::Affine> joints_;
  std::vector<size_t> singular_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_POINT_SKIN_H_
