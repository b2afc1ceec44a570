#include "libs/skel/affine.h"

#include <algorithm>
#include <cmath>

namespace posewire::skel {
namespace {

Quat RotationOf(const Vec3 (&rows)[3]) {
  const float trace = rows[0].x + rows[1].y + rows[2].z;
  const float parts[] = {rows[0].x, rows[1].y, rows[2].z};
  const int most = static_cast<int>(std::max_element(parts, parts + 3) - parts);
  Quat q;
  if (trace > parts[most]) {
    q = {1 + trace, rows[1].z - rows[2].y, rows[2].x - rows[0].z, rows[0].y - rows[1].x};
  } else if (most == 0) {
    q = {rows[1].z - rows[2].y, 1 + rows[0].x - rows[1].y - rows[2].z, rows[0].y + rows[1].x,
         rows[2].x + rows[0].z};
  } else if (most == 1) {
    q = {rows[2].x - rows[0].z, rows[0].y + rows[1].x, 1 + rows[1].y - rows[0].x - rows[2].z,
         rows[1].z + rows[2].y};
  } else {
    q = {rows[0].y - rows[1].x, rows[2].x + rows[0].z, rows[1].z + rows[2].y,
         1 + rows[2].z - rows[0].x - rows[1].y};
  }
  return Normalized(q.w < 0 ? -q : q);
}

}  // namespace

Affine FromTrs(Vec3 t, Quat q, Vec3 s) {
  return {{Rotate(q, {s.x, 0, 0}), Rotate(q, {0, s.y, 0}), Rotate(q, {0, 0, s.z}), t}};
}

Trs Decompose(const Affine& m) {
  Trs out;
  out.translation = m.row[3];
  Vec3 rows[3] = {m.row[0], m.row[1], m.row[2]};
  const float way = Dot(rows[0], Cross(rows[1], rows[2])) < 0 ? -1.0f : 1.0f;
  float* const scale[] = {&out.scale.x, &out.scale.y, &out.scale.z};
  for (size_t i = 0; i < 3; ++i) {
    *scale[i] = way * Length(rows[i]);
    rows[i] = Normalized(rows[i]) * way;
    // Differences from 1 this small are rounding errors.
    if (std::fabs(*scale[i] - 1) < 1e-6f) *scale[i] = 1;
  }
  out.rotation = RotationOf(rows);
  return out;
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
  // The columns of the inverse are the cross products divided by the determinant.
  Affine out;
  out.row[0] = Vec3{bc.x, ca.x, ab.x} * inv;
  out.row[1] = Vec3{bc.y, ca.y, ab.y} * inv;
  out.row[2] = Vec3{bc.z, ca.z, ab.z} * inv;
  out.row[3] = Vec3{};
  out.row[3] = TransformVector(out, m.row[3]) * -1;
  return out;
}

Affine NormalTransform(const Affine& m) {
  const Vec3 a = Cross(m.row[1], m.row[2]);
  const float det = Dot(m.row[0], a);
  const float inv = 1 / det;
  if (det == 0 || !std::isfinite(inv)) return {};
  return {{a * inv, Cross(m.row[2], m.row[0]) * inv, Cross(m.row[0], m.row[1]) * inv, Vec3{}}};
}

}  // namespace posewire::skel
