#include "libs/skel/inertia.h"

#include <algorithm>
#include <cmath>

namespace posewire::skel {
namespace {

// Smaller differences are invisible: a micrometre, a millionth of a radian or of a weight.
constexpr float kLeast = 1e-6f;

// Returns the angle of `q` about `axis`, -pi..pi.
float TwistAbout(Quat q, Vec3 axis) {
  const float angle = 2 * std::atan2(Dot(Vec3{q.x, q.y, q.z}, axis), q.w);
  return angle > kPi ? angle - 2 * kPi : angle < -kPi ? angle + 2 * kPi : angle;
}

}  // namespace

Inertia::Inertia(float x0, float x_before, double dt_s, double duration_s) {
  if (!(x0 > kLeast) || !(duration_s > 0)) return;
  end_s_ = static_cast<float>(duration_s);
  if (dt_s > 0) speed_ = std::min(0.0f, (x0 - x_before) / (static_cast<float>(dt_s) * x0));
  if (speed_ < 0) end_s_ = std::min(end_s_, -4 / speed_);
}

void Inertia::Advance(double dt_s) {
  at_s_ += static_cast<float>(std::max(dt_s, 0.0));
  if (at_s_ >= end_s_) *this = {};
}

float Inertia::Left() const {
  if (!active()) return 0;
  const float tau = at_s_ / end_s_, left = 1 - tau;
  return left * left * left * (1 + (3 + speed_ * end_s_) * tau);
}

Vec3 StartTurn(Quat before, Quat shown, double dt_s, Quat target, double duration_s,
               Inertia& inertia) {
  const Quat inverse = Conjugate(target);
  const Vec3 d = Log(Mul(shown, inverse));
  const float angle = Length(d);
  // Of the two directions, use the one closest to the current angle.
  const float moved = angle - TwistAbout(Mul(before, inverse), Normalized(d));
  inertia = Inertia(angle, angle - std::remainder(moved, 2 * kPi), dt_s, duration_s);
  return d;
}

Vec3 StartMove(Vec3 before, Vec3 shown, double dt_s, Vec3 target, double duration_s,
               Inertia& inertia) {
  const Vec3 d = shown - target;
  inertia = Inertia(Length(d), Dot(before - target, Normalized(d)), dt_s, duration_s);
  return d;
}

}  // namespace posewire::skel
