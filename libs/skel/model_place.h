// Where one joint is, without walking the whole hierarchy.
#ifndef POSEWIRE_LIBS_SKEL_MODEL_PLACE_H_
#define POSEWIRE_LIBS_SKEL_MODEL_PLACE_H_

#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// A position and rotation in model space. The rotation is the product of the local rotations; scale
// plays no part in it.
struct Placement {
  Vec3 at;
  Quat turn;
};

// For a joint, or a point attached to it. Absent values come from the rig's rest pose. Costs the
// depth of the joint; no allocation, any thread. `joint` -1 is model space itself.
Placement PlaceOf(const Rig& rig, const PoseView& pose, int joint, Vec3 offset = {});
// Only the rotation.
Quat TurnOf(const Rig& rig, const PoseView& pose, int joint);

// Rotates a joint, and everything below it, by `turn` in model space on top of its pose.
void TurnInModel(const Rig& rig, int joint, Quat turn, const PoseSpan& pose);
// Moves it by a way in model space; scales above it play no part.
void MoveInModel(const Rig& rig, int joint, Vec3 by, const PoseSpan& pose);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_MODEL_PLACE_H_
