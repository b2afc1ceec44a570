#include "libs/clip/model_error.h"

#include <algorithm>
#include <cmath>

namespace posewire::clip {

skel::Affine ModelOf(const skel::Rig& rig, const skel::PoseView& pose, int joint,
                     absl::Span<const skel::Affine> parents) {
  const skel::PoseView rest = rig.rest();
  const skel::Affine local =
      FromTrs(pose.has_t[joint] ? pose.translation(joint) : rest.translation(joint),
              pose.has_r[joint] ? pose.rotation(joint) : rest.rotation(joint),
              pose.has_s[joint] ? pose.scale(joint) : rest.scale(joint));
  const int parent = rig.topology().parent(joint);
  return parent < 0 ? local : Mul(local, parents[static_cast<size_t>(parent)]);
}

float VertexError(const skel::Affine& a, const skel::Affine& b) {
  const skel::Vec3 place = a.row[3] - b.row[3];
  float most = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    const skel::Vec3 d = place + (a.row[axis] - b.row[axis]) * kVertexDistance_m;
    most = std::max(most, Dot(d, d));
  }
  return std::sqrt(most);
}

ModelError::ModelError(const skel::Rig& rig)
    : rig_(rig), a_(static_cast<size_t>(rig.joints())), b_(a_.size()) {}

float ModelError::Of(const skel::PoseView& a, const skel::PoseView& b) {
  float most = 0;
  for (int j = 0; j < rig_.joints(); ++j) {
    const auto i = static_cast<size_t>(j);
    a_[i] = ModelOf(rig_, a, j, a_);
    b_[i] = ModelOf(rig_, b, j, b_);
    most = std::max(most, VertexError(a_[i], b_[i]));
  }
  return most;
}

}  // namespace posewire::clip
