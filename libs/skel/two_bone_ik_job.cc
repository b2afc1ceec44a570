#include "libs/skel/two_bone_ik_job.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "libs/skel/job_check.h"
#include "libs/skel/limit_job.h"
#include "libs/skel/model_place.h"

namespace posewire::skel {
namespace {

// Returns the distance to which the limb is bent, softened near its full length.
float SoftDistance(float distance, float length, float soft) {
  const float from = length * (1 - soft);
  if (distance <= from || soft <= 0) return std::min(distance, length);
  const float room = length - from;
  return from + room * (1 - std::exp(-(distance - from) / room));
}

// Returns the rotation about `hinge` (model space) that changes |u + R w| to the target's distance.
float BendBy(Vec3 u, Vec3 w, Vec3 hinge, float target, float soft) {
  const Vec3 along = hinge * Dot(hinge, w);
  const Vec3 across = w - along;
  const float a = Dot(u, across), b = Dot(u, Cross(hinge, across));
  const float most = std::sqrt(a * a + b * b);
  if (most < 1e-9f) return 0;
  const float base = Dot(u, u) + Dot(w, w) + 2 * Dot(u, along);
  const float length = std::sqrt(std::max(base + 2 * most, 0.0f));
  const float d = SoftDistance(target, length, soft);
  const float straight = std::atan2(b, a);
  return straight + std::acos(std::clamp((d * d - base) / (2 * most), -1.0f, 1.0f));
}

// Returns the smallest rotation between two directions of any length; identity if one of them is
// zero.
Quat Between(Vec3 from, Vec3 to) {
  if (Length(from) < 1e-6f || Length(to) < 1e-6f) return {};
  return BetweenDirections(Normalized(from), Normalized(to));
}

}  // namespace

LimbTurn TurnLimb(Vec3 upper, Vec3 lower, Vec3 axis, Vec3 line, float soft) {
  LimbTurn out;
  out.bend = FromAxisAngle(axis, BendBy(upper, lower, axis, Length(line), soft));
  out.swing = Between(upper + Rotate(out.bend, lower), line);
  return out;
}

bool IsAbove(const Rig& rig, int above, int joint) {
  for (; joint >= 0; joint = rig.topology().parent(joint)) {
    if (joint == above) return true;
  }
  return false;
}

absl::Status TwoBoneIkJob::Validate() const {
  if (rig == nullptr) return absl::InvalidArgumentError("rig is missing");
  if (absl::Status s = CheckPoseSize("pose", pose, rig->joints(), pose.shapes); !s.ok()) return s;
  for (int j : {start, middle, end}) {
    if (j < 0 || j >= rig->joints()) {
      return absl::InvalidArgumentError(
          absl::StrCat("joint ", j, " is not one of the rig's ", rig->joints()));
    }
  }
  if (start == middle || middle == end || !IsAbove(*rig, start, middle) ||
      !IsAbove(*rig, middle, end)) {
    return absl::InvalidArgumentError(absl::StrCat("joints ", start, ", ", middle, " and ", end,
                                                   " must stand one above the other"));
  }
  if (!(Length(hinge) > 0.5f)) {
    return absl::InvalidArgumentError("hinge must be of unit length");
  }
  return absl::OkStatus();
}

bool TwoBoneIkJob::Run() const {
  if (!Validate().ok()) return false;
  const Quat end_before = keep_end ? TurnOf(*rig, pose, end) : Quat{};
  const Placement root = PlaceOf(*rig, pose, start);
  const Vec3 line = target - root.at;

  const Vec3 knee = PlaceOf(*rig, pose, middle).at;
  const Quat above = TurnOf(*rig, pose, rig->topology().parent(middle));
  const Vec3 w = PlaceOf(*rig, pose, end, offset).at - knee;
  auto [bend, swing] = TurnLimb(knee - root.at, w, Rotate(above, hinge), line, soft);
  TurnInModel(*rig, middle, bend, pose);

  if (pole) {
    const Vec3 along = Normalized(line);
    const Vec3 now = Rotate(swing, knee - root.at), want = *pole - root.at;
    const Vec3 from = now - along * Dot(now, along), to = want - along * Dot(want, along);
    if (Length(from) > 1e-4f && Length(to) > 1e-4f) {
      const float angle = std::atan2(Dot(Cross(from, to), along), Dot(from, to));
      swing = Mul(FromAxisAngle(along, angle), swing);
    }
  }
  TurnInModel(*rig, start, swing, pose);
  if (keep_end) {
    const Quat now = TurnOf(*rig, pose, rig->topology().parent(end));
    pose.SetRotation(end, Normalized(Mul(Conjugate(now), end_before)));
  }
  return true;
}

Vec3 HingeOf(const Rig& rig, int start, int middle, int end) {
  if (!rig.limits().empty()) {
    const JointLimit& l = rig.limits()[static_cast<size_t>(middle)];
    const float x = l.max.x + l.min.x, z = l.max.z + l.min.z;
    if (std::max(std::fabs(x), std::fabs(z)) > 0.8f) {
      const Vec3 axis = std::fabs(x) >= std::fabs(z) ? Vec3{std::copysign(1.0f, x), 0, 0}
                                                     : Vec3{0, 0, std::copysign(1.0f, z)};
      return Rotate(rig.rest().rotation(middle), axis);
    }
  }
  const Vec3 a = PlaceOf(rig, rig.rest(), start).at, b = PlaceOf(rig, rig.rest(), middle).at,
             c = PlaceOf(rig, rig.rest(), end).at;
  const Vec3 upper = Normalized(b - a), lower = Normalized(c - b);
  const Quat above = TurnOf(rig, rig.rest(), rig.topology().parent(middle));
  // A leg reaches nearly to the ground.
  const bool leg = c.y < 0.3f * a.y;
  Vec3 axis = Cross(upper, lower);
  const Vec3 guess = Cross(upper, leg ? Vec3{0, 0, -1} : Vec3{0, 0, 1});
  if (Length(axis) < 0.03f || Dot(axis, guess) < 0) axis = guess;
  if (Length(axis) < 1e-3f) axis = Cross(upper, {0, 1, 0});
  return Rotate(Conjugate(above), Normalized(axis));
}

}  // namespace posewire::skel
