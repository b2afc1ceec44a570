// The scale that gives a box another size.
#ifndef POSEWIRE_LIBS_SKEL_BOX_SCALE_H_
#define POSEWIRE_LIBS_SKEL_BOX_SCALE_H_

#include "libs/skel/math.h"

namespace posewire::skel {

// A box of at most this size on an axis is flat on it.
inline constexpr float kFlat_m = 1e-4f;

// Returns the factors about the origin that give a box of the size `from` the size `to`. An axis on
// which it is flat keeps its own.
inline Vec3 BoxScale(Vec3 from, Vec3 to) {
  const auto factor = [](float own, float wanted) { return own > kFlat_m ? wanted / own : 1.0f; };
  return {factor(from.x, to.x), factor(from.y, to.y), factor(from.z, to.z)};
}

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_BOX_SCALE_H_
