// Keeps joints within the limits of their rig.
#ifndef POSEWIRE_LIBS_SKEL_LIMIT_JOB_H_
#define POSEWIRE_LIBS_SKEL_LIMIT_JOB_H_

#include "absl/status/status.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// The inverse of SwingTwist: Exp({x, 0, z}) Exp({0, y, 0}).
inline Quat FromSwingTwist(Vec3 v) { return Mul(Exp({v.x, 0, v.z}), Exp({0, v.y, 0})); }

// Returns the rotation from rest within `limit`, each of its angles clamped to the nearer bound, as
// swing and twist. A rotation within the limits is unchanged. A swing of nearly half a circle has
// two representations; the one that changes less is used.
Vec3 ClampedSwingTwist(const JointLimit& limit, Quat turn);

// Returns true only if a rotation from rest is within `limit`, without computing a sine. Returns
// false outside the limit, and for large rotations that it cannot decide.
bool SurelyWithin(const JointLimit& limit, Quat turn);
// Constants of SurelyWithin: for swings up to 60 degrees and twists up to 90, the ratios of the
// angle to the sine, and to the tangent, of its half are in these ranges.
inline constexpr float kSwingFactors[] = {2, 2.0944f}, kTwistFactors[] = {1.5707f, 2};

// out = pose with all rotations within the rig's limits. Without limits, the pose is copied. `out`
// may be `pose`. No allocation; any thread.
struct LimitJob {
  const Rig* rig = nullptr;
  PoseView pose;
  PoseSpan out;

  // INVALID_ARGUMENT: no rig, or sizes other than the rig's.
  absl::Status Validate() const;
  // Returns false and writes nothing unless Validate() is OK.
  bool Run() const;
};

// Returns the rotation of one joint, clamped to its limit.
Quat LimitedRotation(const Rig& rig, int joint, Quat rotation);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_LIMIT_JOB_H_
