#include "libs/skel/limit_job.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "libs/skel/job_check.h"
#include "libs/skel/kernels/kernels.h"
#include "libs/skel/rig_limits.h"

namespace posewire::skel {
namespace {

// Rounding error of an angle; closer to a bound than this counts as on it.
constexpr float kSlack = 1e-5f;

Vec3 Clamped(const JointLimit& l, Vec3 v) {
  return {std::clamp(v.x, l.min.x, l.max.x), std::clamp(v.y, l.min.y, l.max.y),
          std::clamp(v.z, l.min.z, l.max.z)};
}

bool Within(const JointLimit& l, Vec3 v) {
  const Vec3 c = Clamped(l, v);
  return std::fabs(c.x - v.x) <= kSlack && std::fabs(c.y - v.y) <= kSlack &&
         std::fabs(c.z - v.z) <= kSlack;
}

// A swing of half a circle or more would be read as one from the other side.
Vec3 Readable(Vec3 v) {
  constexpr float kMost = kPi - 2e-3f;
  const float swing = std::sqrt(v.x * v.x + v.z * v.z);
  if (swing > kMost) v.x *= kMost / swing, v.z *= kMost / swing;
  return v;
}

Quat FromRest(const Rig& rig, int joint, Quat rotation) {
  return Mul(Conjugate(rig.rest().rotation(joint)), rotation);
}

}  // namespace

bool SurelyWithin(const JointLimit& limit, Quat q) {
  if (q.w < 0) q = -q;
  const float twist_part = q.w * q.w + q.y * q.y;
  // The factors are valid only in this range.
  if (twist_part < 0.75f || std::fabs(q.y) > q.w) return false;
  const float inv = 1 / std::sqrt(twist_part), tan = q.y / q.w;
  const float x = (q.x * q.w + q.z * q.y) * inv, z = (q.z * q.w - q.x * q.y) * inv;
  for (int i : {0, 1}) {
    const Vec3 v{x * kSwingFactors[i], tan * kTwistFactors[i], z * kSwingFactors[i]};
    if (v.x < limit.min.x || v.x > limit.max.x || v.y < limit.min.y || v.y > limit.max.y ||
        v.z < limit.min.z || v.z > limit.max.z) {
      return false;
    }
  }
  return true;
}

Vec3 ClampedSwingTwist(const JointLimit& limit, Quat turn) {
  const Vec3 v = SwingTwist(turn);
  if (Within(limit, v)) return v;
  const Vec3 first = Readable(Clamped(limit, v));
  const float swing = std::sqrt(v.x * v.x + v.z * v.z);
  // Far from half a circle there is only one representation.
  if (swing < 1.5f) return first;
  const float back = 1 - 2 * kPi / swing;
  const Vec3 second = Readable(Clamped(limit, {v.x * back, v.y, v.z * back}));
  return AngleBetween(turn, FromSwingTwist(second)) < AngleBetween(turn, FromSwingTwist(first))
             ? second
             : first;
}

Quat LimitedRotation(const Rig& rig, int joint, Quat rotation) {
  if (rig.limits().empty()) return rotation;
  const JointLimit& limit = rig.limits()[static_cast<size_t>(joint)];
  const Quat turn = FromRest(rig, joint, rotation);
  if (SurelyWithin(limit, turn)) return rotation;
  if (Within(limit, SwingTwist(turn))) return rotation;
  return Normalized(
      Mul(rig.rest().rotation(joint), FromSwingTwist(ClampedSwingTwist(limit, turn))));
}

absl::Status LimitJob::Validate() const {
  if (rig == nullptr) return absl::InvalidArgumentError("rig is missing");
  if (absl::Status s = CheckPoseSize("pose", pose, rig->joints(), out.shapes); !s.ok()) return s;
  return CheckPoseSize("out", out, rig->joints(), out.shapes);
}

bool LimitJob::Run() const {
  if (!Validate().ok()) return false;
  if (out.qw != pose.qw) out.CopyFrom(pose);
  if (rig->limits().empty()) return true;
  std::array<uint8_t, kMostJoints> doubtful;
  kernels::FindDoubtful(*rig, out, doubtful.data());
  for (int j = 0; j < pose.joints; ++j) {
    if (doubtful[static_cast<size_t>(j)])
      out.SetRotation(j, LimitedRotation(*rig, j, out.rotation(j)));
  }
  return true;
}

}  // namespace posewire::skel
