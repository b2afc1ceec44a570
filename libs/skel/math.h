// Vectors and quaternions for pose maths.
//
// Quaternions are Hamilton's, stored real part first; v' = q v q*, so that Mul(a, b) rotates by b
// first and then by a (column vectors). Angles are radians, lengths metres. Everything here is
// pure.
#ifndef POSEWIRE_LIBS_SKEL_MATH_H_
#define POSEWIRE_LIBS_SKEL_MATH_H_

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace posewire::skel {

// One degree is kDeg radians.
inline constexpr float kPi = 3.14159265f, kDeg = kPi / 180;

struct Vec3 {
  float x = 0, y = 0, z = 0;
};

constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
constexpr float Dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 Cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float Length(Vec3 a) { return std::sqrt(Dot(a, a)); }
// Zero stays zero.
inline Vec3 Normalized(Vec3 a) {
  const float n = Length(a);
  return n > 0 ? a * (1 / n) : a;
}
constexpr Vec3 Lerp(Vec3 a, Vec3 b, float t) { return a + (b - a) * t; }

struct Quat {
  float w = 1, x = 0, y = 0, z = 0;
};

constexpr float Dot(Quat a, Quat b) { return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Quat Conjugate(Quat q) { return {q.w, -q.x, -q.y, -q.z}; }
constexpr Quat operator-(Quat q) { return {-q.w, -q.x, -q.y, -q.z}; }
constexpr Quat Mul(Quat a, Quat b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
// Zero becomes identity.
inline Quat Normalized(Quat q) {
  const float n = std::sqrt(Dot(q, q));
  if (!(n > 0)) return {};
  return {q.w / n, q.x / n, q.y / n, q.z / n};
}
constexpr Vec3 Rotate(Quat q, Vec3 v) {
  const Vec3 u{q.x, q.y, q.z};
  const Vec3 t = Cross(u, v) * 2;
  return v + t * q.w + Cross(u, t);
}
// `axis` must be of unit length.
inline Quat FromAxisAngle(Vec3 axis, float angle_rad) {
  const float s = std::sin(angle_rad / 2);
  return {std::cos(angle_rad / 2), axis.x * s, axis.y * s, axis.z * s};
}
// Return the rotation vector (axis times angle, at most pi) of a unit quaternion, and the reverse.
inline Vec3 Log(Quat q) {
  if (q.w < 0) q = -q;
  const Vec3 u{q.x, q.y, q.z};
  const float s = Length(u);
  if (s < 1e-8f) return u * 2;
  return u * (2 * std::atan2(s, q.w) / s);
}
inline Quat Exp(Vec3 r) {
  const float angle = Length(r);
  if (angle < 1e-8f) return Normalized(Quat{1, r.x / 2, r.y / 2, r.z / 2});
  return FromAxisAngle(r * (1 / angle), angle);
}
// Splits a unit rotation into a twist about Y followed by a swing, q = Exp({x, 0, z}) Exp({0, y,
// 0}). Returns {x, y, z}, each within +-pi.
inline Vec3 SwingTwist(Quat q) {
  if (q.w < 0) q = -q;
  const float twist = 2 * std::atan2(q.y, q.w);
  const Vec3 swing = Log(Mul(q, Exp({0, -twist, 0})));
  return {swing.x, twist, swing.z};
}
// Returns the angle between two unit rotations, 0..pi, independent of their signs.
inline float AngleBetween(Quat a, Quat b) { return Length(Log(Mul(Conjugate(a), b))); }

// Slerp's factors for two unit quaternions whose dot product is `cos`, 0..1, without libm's sines.
// The square of the angle between them is (1 - cos) times a polynomial in 1 - cos, and sin(x) / x
// is a polynomial in the square of x; both are the best of their degree (Remez). The resulting
// angle is accurate to 1e-6. Uses lerp for 1 - cos <= 1e-5, as in UsdSkel.
struct SlerpShares {
  static constexpr float kNear = 1e-5f;
  static constexpr float kAngleSquared[] = {2.00000063f,   0.333275414f,  0.0897477422f,
                                            0.0238543005f, 0.0221762493f, -0.0110076397f,
                                            0.00935376319f};
  static constexpr float kSinc[] = {0.999999996f, -0.166666580f, 0.00833305098f, -0.000198090690f,
                                    2.60521027e-06f};
  float a, b;

  SlerpShares(float cos, float t) : a(1 - t), b(t) {
    const float u = 1 - cos;
    if (!(u > kNear)) return;
    const float square = u * Polynomial(kAngleSquared, u);
    const float inv = 1 / Polynomial(kSinc, square);
    const float qa = Polynomial(kSinc, a * a * square), qb = Polynomial(kSinc, b * b * square);
    a = a * qa * inv;
    b = b * qb * inv;
  }

 private:
  template <size_t n>
  static float Polynomial(const float (&c)[n], float x) {
    float sum = c[n - 1];
    for (size_t i = n - 1; i-- > 0;) sum = sum * x + c[i];
    return sum;
  }
};

// Spherical interpolation along the shorter way, 0 <= t <= 1; between nearby rotations, lerp
// without renormalisation.
inline Quat Slerp(Quat a, Quat b, float t) {
  float cos = Dot(a, b);
  if (cos < 0) {
    cos = -cos;
    b = -b;
  }
  const SlerpShares f(cos, t);
  return {f.a * a.w + f.b * b.w, f.a * a.x + f.b * b.x, f.a * a.y + f.b * b.y,
          f.a * a.z + f.b * b.z};
}

// Rises from 0 to 1 with zero slope at both ends. `t` is clamped to 0..1.
inline float Smoothstep(float t) {
  t = std::clamp(t, 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

// Normalised linear interpolation along the shorter way: cheaper, and commutative over many inputs.
inline Quat Nlerp(Quat a, Quat b, float t) {
  const float fb = Dot(a, b) < 0 ? -t : t;
  const float fa = 1 - t;
  return Normalized(
      Quat{fa * a.w + fb * b.w, fa * a.x + fb * b.x, fa * a.y + fb * b.y, fa * a.z + fb * b.z});
}

// Returns the smallest rotation from direction `from` to direction `to`; both must have unit
// length.
inline Quat BetweenDirections(Vec3 from, Vec3 to) {
  const float d = Dot(from, to);
  if (d < -0.999999f) {
    const Vec3 side = std::fabs(from.x) < 0.9f ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    return FromAxisAngle(Normalized(Cross(from, side)), kPi);
  }
  const Vec3 c = Cross(from, to);
  return Normalized(Quat{1 + d, c.x, c.y, c.z});
}

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_MATH_H_
