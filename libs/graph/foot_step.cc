#include "libs/graph/foot_step.h"

#include <algorithm>
#include <cmath>

#include "libs/graph/small_math.h"

namespace posewire::graph {
namespace {

using skel::kDeg;
using skel::Quat;
using skel::Vec3;

constexpr float kSubsteps_hz = 240;
// Rate at which the end follows the target at the start of the step, 1/s, and the fraction of the
// step after which it is fixed.
constexpr float kAim = 25, kAimed = 0.75f;
// Height of the sole: constant part, per metre of distance, per radian, and maximum.
constexpr float kLift_m = 0.025f, kLiftPerMetre = 0.1f, kLiftPerRadian_m = 0.01f,
                kMostLift_m = 0.06f;
constexpr float kHeelOff = 14 * kDeg, kHeelDown = 6 * kDeg;

}  // namespace

Quat FootPlace::turn() const {
  return Normalized(Mul(skel::FromAxisAngle({0, 1, 0}, heading), tilt));
}

FootPlace FootPlaceOf(Vec3 at, Quat turn, Quat rest_turn) {
  const Quat from_rest = Mul(turn, Conjugate(rest_turn));
  const float heading = Wrapped(2 * std::atan2(from_rest.y, from_rest.w));
  return {at, heading, Mul(skel::FromAxisAngle({0, 1, 0}, -heading), turn)};
}

void Aim(float dt_s, float s, const FootPlace& wanted, FootPlace& goal) {
  const float share = 1 - std::exp(-dt_s * kAim * std::max(1 - s / kAimed, 0.0f));
  goal.at = Lerp(goal.at, wanted.at, share);
  goal.heading += Wrapped(wanted.heading - goal.heading) * share;
  goal.tilt = Slerp(goal.tilt, wanted.tilt, share);
}

int Substeps(float dt_s) {
  return std::max(static_cast<int>(std::ceil(dt_s * kSubsteps_hz - 0.01f)), 1);
}

void FootStep::Begin(const FootPlace& from, const FootPlace& goal, float length_s,
                     FootShape shape) {
  from_ = from, goal_ = goal, shape_ = shape;
  length_s_ = length_s, time_s_ = 0;
}

void FootStep::Advance(float dt_s, const FootPlace& goal) {
  Aim(dt_s, time_s_ / length_s_, goal, goal_);
  time_s_ = std::min(time_s_ + dt_s, length_s_);
  // The last of many small steps.
  if (length_s_ - time_s_ < 1e-4f) time_s_ = length_s_;
}

FootPlace FootStep::now() const {
  if (done()) return goal_;
  const float s = time_s_ / length_s_;
  const float way = LeastJerk(s);
  const float turn = Wrapped(goal_.heading - from_.heading);
  const Vec3 off = goal_.at - from_.at;
  const float size = std::min(
      kLift_m + kLiftPerMetre * std::hypot(off.x, off.z) + kLiftPerRadian_m * std::fabs(turn),
      kMostLift_m);
  const float roll = kHeelOff * Bump(s / 0.75f) - kHeelDown * Bump((s - 0.55f) / 0.45f);
  FootPlace out;
  out.at = Lerp(from_.at, goal_.at, way);
  // Toes and heel stay above the ground.
  out.at.y += size * Bump(s) +
              (roll > 0 ? shape_.front_m * std::sin(roll) : shape_.back_m * std::sin(-roll));
  out.heading = from_.heading + turn * way;
  out.tilt = Mul(skel::FromAxisAngle({1, 0, 0}, roll), Slerp(from_.tilt, goal_.tilt, way));
  return out;
}

}  // namespace posewire::graph
