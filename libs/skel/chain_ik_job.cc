#include "libs/skel/chain_ik_job.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "libs/skel/job_check.h"
#include "libs/skel/limit_job.h"
#include "libs/skel/model_place.h"
#include "libs/skel/two_bone_ik_job.h"

namespace posewire::skel {
namespace {

constexpr float kCloseEnough_m = 5e-5f;
// Limits per step: distance of the point, and rotation of a joint.
constexpr float kLongestStep_m = 0.1f, kMostTurn = 0.4f;
constexpr float kDamping = 0.01f;

// A symmetric 3x3 matrix.
struct Symmetric {
  float xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
};

Vec3 Solve(const Symmetric& m, Vec3 b) {
  const Vec3 c0{m.xx, m.xy, m.xz}, c1{m.xy, m.yy, m.yz}, c2{m.xz, m.yz, m.zz};
  const float det = Dot(c0, Cross(c1, c2));
  if (std::fabs(det) < 1e-20f) return {};
  return Vec3{Dot(b, Cross(c1, c2)), Dot(c0, Cross(b, c2)), Dot(c0, Cross(c1, b))} * (1 / det);
}

// Adds a joint to J J^T, for rotations about a point from which the end is at `r`: |r|^2 - r r^T.
void AddJoint(Vec3 r, Symmetric& m) {
  const float rr = Dot(r, r);
  m.xx += rr - r.x * r.x, m.yy += rr - r.y * r.y, m.zz += rr - r.z * r.z;
  m.xy -= r.x * r.y, m.xz -= r.x * r.z, m.yz -= r.y * r.z;
}

// How freely a joint rotates about the axes that it has at rest, and the directions of these axes.
struct Freedom {
  std::array<Vec3, 3> axes;
  std::array<float, 3> free;
};

Freedom FreedomOf(const Rig& rig, const PoseView& pose, int joint) {
  const Quat turn =
      Mul(TurnOf(rig, pose, rig.topology().parent(joint)), rig.rest().rotation(joint));
  const Vec3 stiff = rig.stiffness()[static_cast<size_t>(joint)];
  return {{Rotate(turn, {1, 0, 0}), Rotate(turn, {0, 1, 0}), Rotate(turn, {0, 0, 1})},
          {1 - stiff.x, 1 - stiff.y, 1 - stiff.z}};
}

// The same for a stiff joint: the sum over its axes a of free (a x r) (a x r)^T.
void AddJoint(Vec3 r, const Freedom& of, Symmetric& m) {
  for (size_t i = 0; i < 3; ++i) {
    const Vec3 c = Cross(of.axes[i], r);
    const float f = of.free[i];
    m.xx += f * c.x * c.x, m.yy += f * c.y * c.y, m.zz += f * c.z * c.z;
    m.xy += f * c.x * c.y, m.xz += f * c.x * c.z, m.yz += f * c.y * c.z;
  }
}

Vec3 Weighed(Vec3 turn, const Freedom& of) {
  Vec3 out;
  for (size_t i = 0; i < 3; ++i) out = out + of.axes[i] * (of.free[i] * Dot(of.axes[i], turn));
  return out;
}

Vec3 Shortened(Vec3 v, float most) {
  const float n = Length(v);
  return n > most ? v * (most / n) : v;
}

}  // namespace

absl::Status ChainIkJob::Validate() const {
  if (rig == nullptr) return absl::InvalidArgumentError("rig is missing");
  if (absl::Status s = CheckPoseSize("pose", pose, rig->joints(), pose.shapes); !s.ok()) return s;
  if (end < 0 || end >= rig->joints()) {
    return absl::InvalidArgumentError(
        absl::StrCat("end is ", end, ", which is not one of the rig's ", rig->joints(), " joints"));
  }
  if (chain < 1 || chain > kMostChain) {
    return absl::InvalidArgumentError(
        absl::StrCat("chain is ", chain, "; it must be 1..", kMostChain));
  }
  if (lowest >= 0 && (lowest == end || !IsAbove(*rig, lowest, end))) {
    return absl::InvalidArgumentError(
        absl::StrCat("lowest is ", lowest, ", which does not stand above end, ", end));
  }
  return absl::OkStatus();
}

bool ChainIkJob::Run() const {
  if (!Validate().ok()) return false;
  const bool stiff = !rig->stiffness().empty();
  for (int step = 0; step < most_steps; ++step) {
    const Vec3 point = PlaceOf(*rig, pose, end, offset).at;
    const Vec3 miss = target - point;
    if (Length(miss) < kCloseEnough_m) break;
    std::array<int, kMostChain> joints;
    std::array<Vec3, kMostChain> arms;
    std::array<Freedom, kMostChain> freedoms;
    size_t count = 0;
    Symmetric m;
    for (int j = lowest >= 0 ? lowest : rig->topology().parent(end);
         j >= 0 && count < static_cast<size_t>(chain); j = rig->topology().parent(j)) {
      joints[count] = j;
      arms[count] = point - PlaceOf(*rig, pose, j).at;
      if (stiff) {
        freedoms[count] = FreedomOf(*rig, pose, j);
        AddJoint(arms[count], freedoms[count], m);
      } else {
        AddJoint(arms[count], m);
      }
      ++count;
    }
    const float damp = kDamping * (m.xx + m.yy + m.zz) / 3 * std::min(Length(miss) / 0.05f, 1.0f);
    m.xx += damp + 1e-9f, m.yy += damp + 1e-9f, m.zz += damp + 1e-9f;
    const Vec3 y = Solve(m, Shortened(miss, kLongestStep_m));
    for (size_t i = 0; i < count; ++i) {
      const Vec3 turn = Cross(arms[i], y);
      TurnInModel(*rig, joints[i],
                  Exp(Shortened(stiff ? Weighed(turn, freedoms[i]) : turn, kMostTurn)), pose);
      if (!within_limits) continue;
      pose.SetRotation(joints[i], LimitedRotation(*rig, joints[i], pose.rotation(joints[i])));
    }
  }
  return true;
}

}  // namespace posewire::skel
