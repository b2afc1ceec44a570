#include "libs/skel/pose.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "libs/skel/pose_rows.h"

namespace posewire::skel {

void PoseSpan::CopyFrom(const PoseView& o) const {
  const std::array<float*, 10> to = {tx, ty, tz, qw, qx, qy, qz, sx, sy, sz};
  const std::array<const float*, 10> from = {o.tx, o.ty, o.tz, o.qw, o.qx,
                                             o.qy, o.qz, o.sx, o.sy, o.sz};
  for (size_t i = 0; i < to.size(); ++i) std::copy_n(from[i], joints, to[i]);
  std::copy_n(o.weights, shapes, weights);
  std::copy_n(o.has_t, joints, has_t);
  std::copy_n(o.has_r, joints, has_r);
  std::copy_n(o.has_s, joints, has_s);
  std::copy_n(o.has_w, shapes, has_w);
}

Pose::Pose(const Pose& other) { *this = other; }

Pose& Pose::operator=(const Pose& other) {
  if (this == &other) return *this;
  if (joints() != other.joints() || shapes() != other.shapes()) {
    Resize(other.joints(), other.shapes());
  }
  if (!other.floats_.empty()) span_.CopyFrom(other.view());
  return *this;
}

void Pose::Resize(int joints, int shapes) {
  const size_t row = RowFor(static_cast<size_t>(joints));
  const size_t shape_row = RowFor(static_cast<size_t>(shapes));
  floats_.assign(10 * row + shape_row + kRowFloats, 0.0f);
  presence_.assign(3 * static_cast<size_t>(joints) + static_cast<size_t>(shapes) + 1, 0);

  float* p = floats_.data();
  while (reinterpret_cast<uintptr_t>(p) % (kRowFloats * sizeof(float)) != 0) ++p;
  span_ = SpanOver(p, row, presence_.data(), static_cast<size_t>(joints), joints, shapes);
  for (float* ones : {span_.qw, span_.sx, span_.sy, span_.sz}) std::fill_n(ones, joints, 1.0f);
}

}  // namespace posewire::skel
