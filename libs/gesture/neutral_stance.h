// How the avatar stands when it does nothing: the base of idle, and where each gesture starts and
// ends.
#ifndef POSEWIRE_LIBS_GESTURE_NEUTRAL_STANCE_H_
#define POSEWIRE_LIBS_GESTURE_NEUTRAL_STANCE_H_

#include "absl/status/statusor.h"
#include "libs/gesture/body.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::gesture {

// Arms slightly off the body, elbows slightly bent, hands relaxed.
ArmAngles NeutralArm();

// The whole stance: every element present; joints other than the arms at rest, shapes 0. Fails as
// Body::Make does.
absl::StatusOr<skel::Pose> NeutralStance(const skel::Rig& rig);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_NEUTRAL_STANCE_H_
