#include "libs/graph/eye_angles.h"

#include <algorithm>
#include <cmath>

#include "libs/skel/limit_job.h"

namespace posewire::graph {
namespace {

using skel::kDeg;
using skel::Quat;
using skel::Vec3;

constexpr float kAcross = kLookAcrossDegrees * kDeg, kUp = kLookUpDegrees * kDeg;

}  // namespace

LookAngles AnglesOf(skel::Vec3 d) {
  const float flat = std::hypot(d.x, d.z);
  if (flat == 0 && d.y == 0) return {};
  return {std::atan2(d.x, d.z), std::atan2(d.y, flat)};
}

skel::Quat TurnOf(LookAngles a) {
  return Mul(skel::FromAxisAngle({0, 1, 0}, a.left), skel::FromAxisAngle({1, 0, 0}, -a.up));
}

skel::Vec3 DirectionOf(LookAngles a) { return Rotate(TurnOf(a), {0, 0, 1}); }

Eyes::Eyes(const BodyParts* parts) : parts_(parts) {
  static constexpr const char* kNames[2][4] = {
      {"eyeLookOutLeft", "eyeLookInLeft", "eyeLookUpLeft", "eyeLookDownLeft"},
      {"eyeLookInRight", "eyeLookOutRight", "eyeLookUpRight", "eyeLookDownRight"}};
  for (size_t side = 0; side < 2; ++side) {
    for (size_t i = 0; i < 4; ++i) {
      shapes_[side][i] = parts->rig->FindShape(kNames[side][i]);
      has_shapes_ = has_shapes_ && shapes_[side][i] >= 0;
    }
  }
}

bool Eyes::IsLookShape(int shape) const {
  for (const auto& eye : shapes_) {
    if (std::find(eye.begin(), eye.end(), shape) != eye.end()) return true;
  }
  return false;
}

LookAngles Eyes::FromShapes(const skel::PoseView& pose, int side) const {
  const auto weight = [&](size_t i) {
    const int s = shapes_[static_cast<size_t>(side)][i];
    return s >= 0 && pose.has_w[s] ? pose.weights[s] : 0.0f;
  };
  return {(weight(0) - weight(1)) * kAcross, (weight(2) - weight(3)) * kUp};
}

LookAngles Eyes::FromJoints(const skel::PoseView& pose, int side) const {
  const int j = parts_->eyes[static_cast<size_t>(side)];
  if (j < 0 || !pose.has_r[j]) return {};
  return AnglesOf(Rotate(parts_->TurnOfLocal(j, pose.rotation(j)), {0, 0, 1}));
}

void Eyes::ToShapes(LookAngles a, int side, const skel::PoseSpan& out) const {
  const auto set = [&](size_t i, float w) {
    const int s = shapes_[static_cast<size_t>(side)][i];
    if (s >= 0) out.SetWeight(s, std::clamp(w, 0.0f, 1.0f));
  };
  set(0, a.left / kAcross), set(1, -a.left / kAcross);
  set(2, a.up / kUp), set(3, -a.up / kUp);
}

void Eyes::ToJoints(LookAngles a, int side, const skel::PoseSpan& out) const {
  const int j = parts_->eyes[static_cast<size_t>(side)];
  if (j < 0) return;
  // Up about the head's own left, and across within that: this gives the least roll of the eyes,
  // and limits given as swing and twist about the vertical allow no unwanted roll.
  const Vec3 d = DirectionOf(a);
  const Quat turn = Mul(skel::FromAxisAngle({1, 0, 0}, -std::atan2(d.y, d.z)),
                        skel::FromAxisAngle({0, 1, 0}, std::asin(std::clamp(d.x, -1.0f, 1.0f))));
  out.SetRotation(j, skel::LimitedRotation(*parts_->rig, j, parts_->LocalOf(j, turn)));
}

}  // namespace posewire::graph
