// Affine transforms as UsdSkel composes them: row vectors, p' = p M, translation in the last row,
// matrices compose left to right (child, then parent).
#ifndef POSEWIRE_LIBS_SKEL_AFFINE_H_
#define POSEWIRE_LIBS_SKEL_AFFINE_H_

#include <array>
#include <optional>

#include "libs/skel/math.h"

namespace posewire::skel {

// Rows 0..2 are the images of the axes, row 3 is the translation.
struct Affine {
  std::array<Vec3, 4> row = {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{0, 0, 0}};
};

// Scale first, then rotation, then translation. `q` must be of unit length.
Affine FromTrs(Vec3 t, Quat q, Vec3 s);

struct Trs {
  Vec3 translation;
  Quat rotation;
  Vec3 scale{1, 1, 1};
};

// The inverse of FromTrs. Shear is lost; a mirrored matrix has three negative scales.
Trs Decompose(const Affine& m);

// Returns the transform that applies first `a`, then `b`.
Affine Mul(const Affine& a, const Affine& b);

// Returns nothing for a singular matrix.
std::optional<Affine> Inverse(const Affine& m);

// Returns the transform for normals, the inverse transpose of `m`. It does not keep their length.
// Identity for a singular matrix.
Affine NormalTransform(const Affine& m);

// Transform a direction, and a point.
constexpr Vec3 TransformVector(const Affine& m, Vec3 v) {
  return m.row[0] * v.x + m.row[1] * v.y + m.row[2] * v.z;
}
constexpr Vec3 TransformPoint(const Affine& m, Vec3 p) { return TransformVector(m, p) + m.row[3]; }

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_AFFINE_H_
