// Dual quaternions: rigid motions that can be summed.
#ifndef POSEWIRE_LIBS_MESH_DUAL_QUAT_H_
#define POSEWIRE_LIBS_MESH_DUAL_QUAT_H_

#include "absl/types/span.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

// real = the rotation, dual = half the translation (0, t) times the rotation.
struct DualQuat {
  skel::Quat real{0, 0, 0, 0}, dual{0, 0, 0, 0};
};

// A transform as two factors: first `stretch` (scale and shear), then the rigid motion.
struct Factors {
  bool singular = false;
  bool stretches = false;  // `stretch` differs from the identity by more than 1e-6
  skel::Affine stretch;
  DualQuat motion;  // zero when singular
};
Factors Factor(const skel::Affine& m);

// Returns the weighted sum of the joints' motions as a unit dual quaternion, or zero if they cancel
// out. The signs of motions follow the joint with the greatest weight. One weight per joint; joints
// must be in `factors`.
DualQuat BlendMotions(absl::Span<const Factors> factors, absl::Span<const int> joints,
                      absl::Span<const float> weights);

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_DUAL_QUAT_H_
