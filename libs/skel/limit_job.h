// Keeps joints within the bounds of their rig.
#ifndef POSEWIRE_LIBS_SKEL_LIMIT_JOB_H_
#define POSEWIRE_LIBS_SKEL_LIMIT_JOB_H_

#include "absl/status/status.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// SwingTwist back: Exp({x, 0, z}) Exp({0, y, 0}).
inline Quat FromSwingTwist(Vec3 v) { return Mul(Exp({v.x, 0, v.z}), Exp({0, v.y, 0})); }

// The turn from rest within `limit`, each of its angles taken to the nearer bound, as swing and
// twist. A turn within the bounds stays as it is. Of the two ways to write a swing of nearly half a
// circle the one counts that has to give less.
Vec3 ClampedSwingTwist(const JointLimit& limit, Quat turn);

// True only for a turn from rest within `limit`, found without a single sine; false for one that is
// not, and for large ones that it cannot tell.
bool SurelyWithin(const JointLimit& limit, Quat turn);
// Of SurelyWithin: for swings to 60 degrees and twists to 90, angle over sine of the half and over
// tangent of the half lie between these.
inline constexpr float kSwingFactors[] = {2, 2.0944f}, kTwistFactors[] = {1.5707f, 2};

// out = pose with every rotation that it has within the rig's limits; a rig without limits passes
// all. `out` may be `pose`. No allocation; any thread.
struct LimitJob {
  const Rig* rig = nullptr;
  PoseView pose;
  PoseSpan out;

  // INVALID_ARGUMENT: no rig, or sizes that are not the rig's.
  absl::Status Validate() const;
  // False, and nothing written, unless Validate() holds.
  bool Run() const;
};

// The rotation of one joint, held within its limit.
Quat LimitedRotation(const Rig& rig, int joint, Quat rotation);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_LIMIT_JOB_H_
