// Small functions that several nodes share.
#ifndef POSEWIRE_LIBS_GRAPH_SMALL_MATH_H_
#define POSEWIRE_LIBS_GRAPH_SMALL_MATH_H_

#include <cmath>

#include "libs/skel/math.h"

namespace posewire::graph {

// The same direction within half a turn of 0, radians.
inline float Wrapped(float a) {
  constexpr float kTurn = 2 * 3.14159265f;
  return a - kTurn * std::round(a / kTurn);
}

// How far an exponential approach with time constant time_s gets in dt_s, as a fraction.
inline float Share(float dt_s, float time_s) { return 1 - std::exp(-dt_s / time_s); }

inline bool Finite(skel::Vec3 v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_SMALL_MATH_H_
