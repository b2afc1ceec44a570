// Matrices in OpenGL's column-major form.
#ifndef POSEWIRE_LIBS_RENDER_MATRIX_H_
#define POSEWIRE_LIBS_RENDER_MATRIX_H_

#include <algorithm>
#include <array>
#include <cmath>

#include "libs/mesh/extent.h"
#include "libs/skel/math.h"

namespace posewire::render {

using Matrix = std::array<float, 16>;

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix out{};
  for (size_t c = 0; c < 4; ++c) {
    for (size_t r = 0; r < 4; ++r) {
      for (size_t k = 0; k < 4; ++k) out[c * 4 + r] += a[k * 4 + r] * b[c * 4 + k];
    }
  }
  return out;
}

inline Matrix LookAt(skel::Vec3 eye, skel::Vec3 target, skel::Vec3 up) {
  const skel::Vec3 z = skel::Normalized(eye - target);
  const skel::Vec3 x = skel::Normalized(skel::Cross(up, z)), y = skel::Cross(z, x);
  return {x.x,
          y.x,
          z.x,
          0,
          x.y,
          y.y,
          z.y,
          0,
          x.z,
          y.z,
          z.z,
          0,
          -skel::Dot(x, eye),
          -skel::Dot(y, eye),
          -skel::Dot(z, eye),
          1};
}

// Returns false if a box is outside the view of a matrix to clip space.
inline bool MayBeSeen(const mesh::Extent& box, const Matrix& m) {
  std::array<int, 6> outside{};
  for (int corner = 0; corner < 8; ++corner) {
    const std::array<float, 4> p = {corner & 1 ? box.high.x : box.low.x,
                                    corner & 2 ? box.high.y : box.low.y,
                                    corner & 4 ? box.high.z : box.low.z, 1};
    std::array<float, 4> at{};
    for (size_t r = 0; r < 4; ++r) {
      for (size_t k = 0; k < 4; ++k) at[r] += m[k * 4 + r] * p[k];
    }
    for (size_t axis = 0; axis < 3; ++axis) {
      outside[2 * axis] += at[axis] < -at[3];
      outside[2 * axis + 1] += at[axis] > at[3];
    }
  }
  // A box that is beyond one side is out of view.
  return std::find(outside.begin(), outside.end(), 8) == outside.end();
}

// `view_rad` is the vertical field of view.
inline Matrix Perspective(float view_rad, float aspect, float near, float far) {
  const float f = 1 / std::tan(view_rad / 2);
  return {f / aspect,
          0,
          0,
          0,
          0,
          f,
          0,
          0,
          0,
          0,
          (far + near) / (near - far),
          -1,
          0,
          0,
          2 * far * near / (near - far),
          0};
}

inline Matrix Orthographic(float half, float near, float far) {
  return {1 / half,
          0,
          0,
          0,
          0,
          1 / half,
          0,
          0,
          0,
          0,
          2 / (near - far),
          0,
          0,
          0,
          (far + near) / (near - far),
          1};
}

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_MATRIX_H_
