// Converts between a gaze target and ARKit's eye shapes, for senders that send only the target.
#ifndef POSEWIRE_LIBS_VMC_EYE_SHAPES_H_
#define POSEWIRE_LIBS_VMC_EYE_SHAPES_H_

#include "libs/skel/math.h"
#include "libs/vmc/expressions.h"

namespace posewire::vmc {

// Sets the eight shapes eyeLook... so that the eyes look at `target`. The target is relative to the
// head at rest, in metres from the point between the eyes: X to the head's left, Y up, Z to its
// front. A weight of 1 is 35 degrees to the side, or 30 degrees up or down; a target further out
// gives 1. A target at the origin gives a gaze straight ahead.
void LookAt(skel::Vec3 target, ArkitWeights& weights);

// Returns the point one metre away that eyes with these weights look at, on average.
skel::Vec3 TargetOf(const ArkitWeights& weights);

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_EYE_SHAPES_H_
