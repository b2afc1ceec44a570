// Vector and quaternion operations in double precision, for chains of joints, so that a round trip
// ends where it began.
#ifndef POSEWIRE_LIBS_SKEL_WIDE_MATH_H_
#define POSEWIRE_LIBS_SKEL_WIDE_MATH_H_

#include <cmath>

#include "libs/skel/math.h"

namespace posewire::skel {

struct WideVec3 {
  double x = 0, y = 0, z = 0;
};
struct WideQuat {
  double w = 1, x = 0, y = 0, z = 0;
};

constexpr WideVec3 Wide(Vec3 v) { return {v.x, v.y, v.z}; }
constexpr WideQuat Wide(Quat q) { return {q.w, q.x, q.y, q.z}; }
constexpr Vec3 Narrow(WideVec3 v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
constexpr Quat Narrow(WideQuat q) {
  return {static_cast<float>(q.w), static_cast<float>(q.x), static_cast<float>(q.y),
          static_cast<float>(q.z)};
}

constexpr WideVec3 operator+(WideVec3 a, WideVec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr WideVec3 operator-(WideVec3 a, WideVec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr WideVec3 operator*(WideVec3 a, double s) { return {a.x * s, a.y * s, a.z * s}; }
constexpr WideQuat Conjugate(WideQuat q) { return {q.w, -q.x, -q.y, -q.z}; }
constexpr WideQuat Mul(WideQuat a, WideQuat b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
// Zero becomes identity.
inline WideQuat Normalized(WideQuat q) {
  const double n = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  if (!(n > 0)) return {};
  return {q.w / n, q.x / n, q.y / n, q.z / n};
}
constexpr WideVec3 Rotate(WideQuat q, WideVec3 v) {
  const WideQuat r = Mul(Mul(q, WideQuat{0, v.x, v.y, v.z}), Conjugate(q));
  return {r.x, r.y, r.z};
}

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_WIDE_MATH_H_
