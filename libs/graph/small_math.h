// Small functions that several nodes share.
#ifndef POSEWIRE_LIBS_GRAPH_SMALL_MATH_H_
#define POSEWIRE_LIBS_GRAPH_SMALL_MATH_H_

#include <algorithm>
#include <cmath>

#include "libs/skel/math.h"

namespace posewire::graph {

using skel::Smoothstep;

// Returns the same direction within half a turn of 0, in radians.
inline float Wrapped(float a) {
  constexpr float kTurn = 2 * skel::kPi;
  return a - kTurn * std::round(a / kTurn);
}

// Returns the fraction of the way that an exponential approach with time constant time_s covers in
// dt_s.
inline float Share(float dt_s, float time_s) { return 1 - std::exp(-dt_s / time_s); }

// Projects onto the ground.
inline skel::Vec3 Flat(skel::Vec3 v) { return {v.x, 0, v.z}; }

// Rises from 0 to 1 within 0..1 with minimum jerk (Flash and Hogan, 1985).
inline float LeastJerk(float s) { return s * s * s * (10 + s * (6 * s - 15)); }

// Rises from 0 to 1 and falls back to 0 within 0..1; 0 outside.
inline float Bump(float u) {
  if (u <= 0 || u >= 1) return 0;
  const float v = u * (1 - u);
  return 16 * v * v;
}

// A critically damped spring for a number or a Vec3; exact for a constant goal.
template <typename T>
void FollowDamped(T goal, float rate, float dt_s, T& at, T& speed) {
  const T off = at - goal, push = speed + off * rate;
  const float e = std::exp(-rate * dt_s);
  at = goal + (off + push * dt_s) * e;
  speed = (speed - push * (rate * dt_s)) * e;
}

inline bool Finite(skel::Vec3 v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_SMALL_MATH_H_
