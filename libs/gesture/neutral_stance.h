// The avatar's neutral stance: the base of idle, and the start and end of each gesture.
#ifndef POSEWIRE_LIBS_GESTURE_NEUTRAL_STANCE_H_
#define POSEWIRE_LIBS_GESTURE_NEUTRAL_STANCE_H_

#include "absl/status/statusor.h"
#include "libs/gesture/body.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::gesture {

// Returns arms slightly away from the body, elbows slightly bent, hands relaxed.
ArmAngles NeutralArm();

// Returns the whole stance with every element present: joints other than the arms at rest, shapes
// 0. Errors: see Body::Make.
absl::StatusOr<skel::Pose> NeutralStance(const skel::Rig& rig);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_NEUTRAL_STANCE_H_
