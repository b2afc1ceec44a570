#include "libs/skel/affine.h"

namespace posewire::skel {

Affine FromTrs(Vec3 t, Quat q, Vec3 s) {
  return {{Rotate(q, {s.x, 0, 0}), Rotate(q, {0, s.y, 0}), Rotate(q, {0, 0, s.z}), t}};
}

Affine Mul(const Affine& a, const Affine& b) {
  return {{TransformVector(b, a.row[0]), TransformVector(b, a.row[1]), TransformVector(b, a.row[2]),
           TransformPoint(b, a.row[3])}};
}

std::optional<Affine> Inverse(const Affine& m) {
  const Vec3 a = m.row[0], b = m.row[1], c = m.row[2];
  const Vec3 bc = Cross(b, c), ca = Cross(c, a), ab = Cross(a, b);
  const float det = Dot(a, bc);
  const float inv = 1 / det;
  if (det == 0 || !std::isfinite(inv)) return std::nullopt;
  // The columns of the inverse are the cross products over the determinant.
  Affine out;
  out.row[0] = Vec3{bc.x, ca.x, ab.x} * inv;
  out.row[1] = Vec3{bc.y, ca.y, ab.y} * inv;
  out.row[2] = Vec3{bc.z, ca.z, ab.z} * inv;
  out.row[3] = Vec3{};
  out.row[3] = TransformVector(out, m.row[3]) * -1;
  return out;
}

}  // namespace posewire::skel
