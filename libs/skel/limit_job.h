// Keeps joints within the bounds of their rig.
#ifndef POSEWIRE_LIBS_SKEL_LIMIT_JOB_H_
#define POSEWIRE_LIBS_SKEL_LIMIT_JOB_H_

#include "absl/status/status.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// The inverse of SwingTwist: Exp({x, 0, z}) Exp({0, y, 0}).
inline Quat FromSwingTwist(Vec3 v) { return Mul(Exp({v.x, 0, v.z}), Exp({0, v.y, 0})); }

// The turn from rest within `limit`, each of its angles clamped to the nearer bound, as swing and
// twist. A turn within the bounds stays as it is. A swing of nearly half a circle can be written in
// two ways; the one that has to change less is used.
Vec3 ClampedSwingTwist(const JointLimit& limit, Quat turn);

// True only for a turn from rest within `limit`, found without a single sine; false for one
// outside, and for large ones that it cannot decide.
bool SurelyWithin(const JointLimit& limit, Quat turn);
// For SurelyWithin: for swings up to 60 degrees and twists up to 90, angle over sine of the half
// and over tangent of the half lie between these.
inline constexpr float kSwingFactors[] = {2, 2.0944f}, kTwistFactors[] = {1.5707f, 2};

// out = pose with all its rotations within the rig's limits; a rig without limits lets all pass.
// `out` may be `pose`. No allocation; any thread.
struct LimitJob {
  const Rig* rig = nullptr;
  PoseView pose;
  PoseSpan out;

  // INVALID_ARGUMENT: no rig, or sizes other than the rig's.
  absl::Status Validate() const;
  // Returns false and writes nothing unless Validate() is OK.
  bool Run() const;
};

// The rotation of one joint, held within its limit.
Quat LimitedRotation(const Rig& rig, int joint, Quat rotation);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_LIMIT_JOB_H_
