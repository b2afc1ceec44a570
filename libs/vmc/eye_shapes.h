// A gaze as ARKit's shapes: the eyes of an avatar whose sender names only what they look at.
#ifndef POSEWIRE_LIBS_VMC_EYE_SHAPES_H_
#define POSEWIRE_LIBS_VMC_EYE_SHAPES_H_

#include "libs/skel/math.h"
#include "libs/vmc/expressions.h"

namespace posewire::vmc {

// Sets the eight shapes eyeLook... for eyes that look at `target`, relative to the head at rest: X
// its left, Y up, Z its front, metres from between the eyes. A weight of 1 is 35 degrees to the
// side, 30 up or down; a target further out gives 1. A target at the eyes gives a straight gaze.
void LookAt(skel::Vec3 target, ArkitWeights& weights);

// Returns the point a metre away at which eyes with these weights look, on average.
skel::Vec3 TargetOf(const ArkitWeights& weights);

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_EYE_SHAPES_H_
