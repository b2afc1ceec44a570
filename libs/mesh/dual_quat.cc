#include "libs/mesh/dual_quat.h"

#include <array>
#include <cmath>

namespace posewire::mesh {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

Affine Linear(const Affine& m) { return {{m.row[0], m.row[1], m.row[2], Vec3{}}}; }

Affine Transposed(const Affine& m) {
  return {{Vec3{m.row[0].x, m.row[1].x, m.row[2].x}, Vec3{m.row[0].y, m.row[1].y, m.row[2].y},
           Vec3{m.row[0].z, m.row[1].z, m.row[2].z}, Vec3{}}};
}

// Returns the unit quaternion of a rotation's rows (row vectors).
Quat ToQuat(const Affine& m) {
  const Vec3 &a = m.row[0], &b = m.row[1], &c = m.row[2];
  const float trace = a.x + b.y + c.z;
  Quat q;
  if (trace > 0) {
    q = {trace + 1, b.z - c.y, c.x - a.z, a.y - b.x};
  } else if (a.x >= b.y && a.x >= c.z) {
    q = {b.z - c.y, 1 + a.x - b.y - c.z, a.y + b.x, c.x + a.z};
  } else if (b.y >= c.z) {
    q = {c.x - a.z, a.y + b.x, 1 + b.y - a.x - c.z, b.z + c.y};
  } else {
    q = {a.y - b.x, c.x + a.z, b.z + c.y, 1 + c.z - a.x - b.y};
  }
  return skel::Normalized(q);
}

float Determinant(const Affine& m) { return skel::Dot(m.row[0], skel::Cross(m.row[1], m.row[2])); }

bool IsIdentity(const Affine& m) {
  constexpr std::array kAxes = {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
  for (size_t r = 0; r < 3; ++r) {
    const Vec3 d = m.row[r] - kAxes[r];
    if (std::fabs(d.x) > 1e-6f || std::fabs(d.y) > 1e-6f || std::fabs(d.z) > 1e-6f) return false;
  }
  return true;
}

Quat Plus(Quat a, Quat b, float w) {
  return {a.w + b.w * w, a.x + b.x * w, a.y + b.y * w, a.z + b.z * w};
}

}  // namespace

// Polar decomposition by Newton's iteration (Higham 1986): the mean with the inverse transpose
// converges to the nearest rotation.
Factors Factor(const Affine& m) {
  Factors out;
  Affine r = Linear(m);
  const float size = skel::Length(r.row[0]) * skel::Length(r.row[1]) * skel::Length(r.row[2]);
  if (!(std::fabs(Determinant(r)) > 1e-9f * size)) {
    out.singular = true;
    return out;
  }
  for (int i = 0; i < 30; ++i) {
    const auto inverse = skel::Inverse(r);
    if (!inverse) {
      out.singular = true;
      return out;
    }
    const Affine other = Transposed(*inverse);
    float change = 0;
    for (size_t k = 0; k < 3; ++k) {
      const Vec3 next = (r.row[k] + other.row[k]) * 0.5f;
      change += skel::Length(next - r.row[k]);
      r.row[k] = next;
    }
    if (change < 1e-7f) break;
  }
  // A reflection belongs to the stretch.
  if (Determinant(r) < 0) {
    for (size_t k = 0; k < 3; ++k) r.row[k] = r.row[k] * -1;
  }
  const Quat q = ToQuat(r);
  const Vec3 t = m.row[3];
  out.stretch = skel::Mul(Linear(m), Transposed(r));
  out.stretches = !IsIdentity(out.stretch);
  const Quat dual = skel::Mul(Quat{0, t.x, t.y, t.z}, q);
  out.motion = {q, {dual.w / 2, dual.x / 2, dual.y / 2, dual.z / 2}};
  return out;
}

DualQuat BlendMotions(absl::Span<const Factors> factors, absl::Span<const int> joints,
                      absl::Span<const float> weights) {
  const auto motion = [&](size_t k) -> const DualQuat& {
    return factors[static_cast<size_t>(joints[k])].motion;
  };
  size_t pivot = 0;
  for (size_t k = 1; k < weights.size(); ++k) {
    if (weights[k] > weights[pivot]) pivot = k;
  }
  DualQuat sum;
  for (size_t k = 0; k < joints.size(); ++k) {
    const DualQuat& m = motion(k);
    const float way = skel::Dot(m.real, motion(pivot).real) < 0 ? -1.0f : 1.0f;
    sum.real = Plus(sum.real, m.real, way * weights[k]);
    sum.dual = Plus(sum.dual, m.dual, way * weights[k]);
  }
  const float length = std::sqrt(skel::Dot(sum.real, sum.real));
  if (!(length > 1e-12f)) return {};
  const Quat zero{0, 0, 0, 0};
  sum.real = Plus(zero, sum.real, 1 / length);
  sum.dual = Plus(zero, sum.dual, 1 / length);
  sum.dual = Plus(sum.dual, sum.real, -skel::Dot(sum.real, sum.dual));
  return sum;
}

}  // namespace posewire::mesh
