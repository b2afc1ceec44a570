// Where one joint stands, without walking the whole hierarchy.
#ifndef POSEWIRE_LIBS_SKEL_MODEL_PLACE_H_
#define POSEWIRE_LIBS_SKEL_MODEL_PLACE_H_

#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// A place and a turn in model space. The turn is the product of the local rotations; scale has no
// part in it.
struct Placement {
  Vec3 at;
  Quat turn;
};

// Of a joint, or of a point that hangs on it. What the pose lacks is that of the rig's rest pose.
// Costs the depth of the joint; no allocation, any thread. `joint` -1 is model space itself.
Placement PlaceOf(const Rig& rig, const PoseView& pose, int joint, Vec3 offset = {});
// The turn alone.
Quat TurnOf(const Rig& rig, const PoseView& pose, int joint);

// Turns a joint, and all below it, by `turn` of model space on top of what it does.
void TurnInModel(const Rig& rig, int joint, Quat turn, const PoseSpan& pose);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_MODEL_PLACE_H_
