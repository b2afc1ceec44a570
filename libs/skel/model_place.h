// Computes the model-space transform of a single joint, without the whole hierarchy.
#ifndef POSEWIRE_LIBS_SKEL_MODEL_PLACE_H_
#define POSEWIRE_LIBS_SKEL_MODEL_PLACE_H_

#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// A position and rotation in model space. The rotation is the product of the local rotations and
// ignores scale.
struct Placement {
  Vec3 at;
  Quat turn;
};

// Returns the place of a joint, or of a point attached to it. Absent values come from the rig's
// rest pose. The cost is proportional to the depth of the joint; no allocation, any thread. `joint`
// -1 is model space itself.
Placement PlaceOf(const Rig& rig, const PoseView& pose, int joint, Vec3 offset = {});
// Returns only the rotation.
Quat TurnOf(const Rig& rig, const PoseView& pose, int joint);

// Rotates a joint, and everything below it, by `turn` in model space, in addition to its pose.
void TurnInModel(const Rig& rig, int joint, Quat turn, const PoseSpan& pose);
// Moves a joint by a vector in model space; ignores scales above it.
void MoveInModel(const Rig& rig, int joint, Vec3 by, const PoseSpan& pose);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_MODEL_PLACE_H_
