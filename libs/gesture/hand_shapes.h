// Named hand shapes: the finger angles of an arm.
#ifndef POSEWIRE_LIBS_GESTURE_HAND_SHAPES_H_
#define POSEWIRE_LIBS_GESTURE_HAND_SHAPES_H_

#include "libs/gesture/body.h"

namespace posewire::gesture {

enum class HandShape {
  kRelaxed,
  kFlat,  // fingers together and straight, thumb along them
  kOpen,  // fingers a little apart, palm shown
  kFist,
  kPoint,    // index finger straight
  kThumbUp,  // fist, thumb straight out
  kCup,      // fingers together and curved
  kChin,     // loose fist, index finger half straight
  kHook,     // all fingers half curled
  kGrip,     // around a bar
  kPinch,    // thumb against the tips of index and middle finger
  kGap,      // thumb and index finger a little apart, the others curled
  kBunch,    // all tips together
  kGun,      // index finger and thumb straight, at right angles
  kPhone,    // thumb and little finger straight
  kCount1,
  kCount2,
  kCount3,
  kCount4,
  kCount5,
};

// Writes the angles from kThumbAdduct on.
void SetHand(HandShape shape, ArmAngles& angles);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_HAND_SHAPES_H_
