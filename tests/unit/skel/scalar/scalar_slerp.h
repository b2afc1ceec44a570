// Slerp by its formula.
#ifndef POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_SLERP_H_
#define POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_SLERP_H_

#include <algorithm>
#include <cmath>

#include "libs/skel/math.h"

namespace posewire::skel::scalar {

inline Quat SlerpBySines(Quat a, Quat b, float t) {
  float cos = Dot(a, b);
  if (cos < 0) {
    cos = -cos;
    b = -b;
  }
  float fa = 1 - t, fb = t;
  if (1 - cos > 1e-5f) {
    const float theta = std::acos(std::min(cos, 1.0f));
    const float inv = 1 / std::sin(theta);
    fa = std::sin(fa * theta) * inv;
    fb = std::sin(fb * theta) * inv;
  }
  return {fa * a.w + fb * b.w, fa * a.x + fb * b.x, fa * a.y + fb * b.y, fa * a.z + fb * b.z};
}

}  // namespace posewire::skel::scalar

#endif  // POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_SLERP_H_
