#include "libs/skel/pose.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace posewire::skel {
namespace {

constexpr size_t kRowFloats = 16;  // 64 bytes

size_t RoundUp(size_t n) { return (n + kRowFloats - 1) / kRowFloats * kRowFloats; }

}  // namespace

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
  const size_t row = RoundUp(static_cast<size_t>(joints));
  const size_t shape_row = RoundUp(static_cast<size_t>(shapes));
  floats_.assign(10 * row + shape_row + kRowFloats, 0.0f);
  presence_.assign(3 * static_cast<size_t>(joints) + static_cast<size_t>(shapes) + 1, 0);

  float* p = floats_.data();
  while (reinterpret_cast<uintptr_t>(p) % (kRowFloats * sizeof(float)) != 0) ++p;
  span_.joints = joints;
  span_.shapes = shapes;
  const std::array<float**, 10> rows = {&span_.tx, &span_.ty, &span_.tz, &span_.qw, &span_.qx,
                                        &span_.qy, &span_.qz, &span_.sx, &span_.sy, &span_.sz};
  for (float** r : rows) {
    *r = p;
    p += row;
  }
  span_.weights = p;
  for (float* ones : {span_.qw, span_.sx, span_.sy, span_.sz}) std::fill_n(ones, joints, 1.0f);

  uint8_t* b = presence_.data();
  span_.has_t = b;
  span_.has_r = b + joints;
  span_.has_s = b + 2 * static_cast<ptrdiff_t>(joints);
  span_.has_w = b + 3 * static_cast<ptrdiff_t>(joints);
}

}  // namespace posewire::skel
