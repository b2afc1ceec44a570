// Moves the points of a mesh with the joints of a skeleton, as UsdSkel defines it.
#ifndef POSEWIRE_LIBS_MESH_SKIN_JOB_H_
#define POSEWIRE_LIBS_MESH_SKIN_JOB_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

// Linear blend skinning sums the transforms; dual quaternion skinning (Kavan et al. 2008) blends
// the rigid motions and so keeps the volume of twisted limbs.
enum class SkinningMethod { kClassicLinear, kDualQuaternion };

// "classicLinear" or "dualQuaternion"; INVALID_ARGUMENT for any other text.
absl::StatusOr<SkinningMethod> ParseSkinningMethod(absl::string_view token);

// Returns the effect of a joint on points of the bind pose: first the inverse of `bind`, then
// `model`. If bind cannot be inverted, returns identity.
skel::Affine SkinningTransform(const skel::Affine& bind, const skel::Affine& model);

// Each point has `per_point` pairs of joint and weight; weights are used as given. Points are first
// moved to bind space by `geom_bind`. The result is in the skeleton's space. Normals follow the
// inverse transpose (linear) or the blended rotation (dual quaternion), and have unit length. Input
// and output may be the same array. Set the fields, then call Run(). Linear does not allocate; any
// thread.
struct SkinJob {
  SkinningMethod method = SkinningMethod::kClassicLinear;
  absl::Span<const skel::Affine> transforms;  // SkinningTransform of each joint
  absl::Span<const int> indices;
  absl::Span<const float> weights;
  int per_point = 4;
  skel::Affine geom_bind;
  absl::Span<const skel::Vec3> points, normals;  // normals may be empty
  absl::Span<skel::Vec3> out_points, out_normals;

  // INVALID_ARGUMENT: lengths that do not match, or an index that is not a joint (even with weight
  // 0).
  absl::Status Validate() const;
  // Writes nothing if Validate() fails.
  absl::Status Run() const;
};

// Returns where `geom_bind` ends up for a mesh with one list of influences for all points, which
// moves rigidly. One joint with weight 1 moves it exactly; with several, the origin and the ends of
// the axes are skinned linearly. Errors as above.
absl::StatusOr<skel::Affine> SkinRigid(absl::Span<const skel::Affine> transforms,
                                       absl::Span<const int> indices,
                                       absl::Span<const float> weights,
                                       const skel::Affine& geom_bind);

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_SKIN_JOB_H_
