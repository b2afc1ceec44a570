#include "libs/skel/inertializer.h"

#include <algorithm>
#include <cmath>

namespace posewire::skel {
namespace {

constexpr float kPi = 3.14159265358979f;
// Differences below this cannot be seen: a micrometre, a millionth of a radian or of a weight.
constexpr float kLeast = 1e-6f;

// The angle of `q` about `axis` alone, -pi..pi.
float TwistAbout(Quat q, Vec3 axis) {
  const float angle = 2 * std::atan2(Dot(Vec3{q.x, q.y, q.z}, axis), q.w);
  return angle > kPi ? angle - 2 * kPi : angle < -kPi ? angle + 2 * kPi : angle;
}

}  // namespace

Inertializer::Inertializer(int joints, int shapes)
    : joints_(joints),
      shapes_(shapes),
      translations_(static_cast<size_t>(joints)),
      rotations_(static_cast<size_t>(joints)),
      scales_(static_cast<size_t>(joints)),
      weights_(static_cast<size_t>(shapes)) {}

void Inertializer::Start(const PoseView& shown_before_previous, const PoseView& shown_previous,
                         double dt_s, const PoseView& new_target, double duration_s,
                         double shapes_duration_s) {
  active_ = false;
  for (const PoseView* pose : {&shown_before_previous, &shown_previous, &new_target}) {
    if (pose->joints != joints_ || pose->shapes != shapes_) return;
  }
  if (!(duration_s > 0)) return;
  duration_s_ = duration_s;
  shapes_duration_s_ = shapes_duration_s > 0 ? shapes_duration_s : duration_s;
  frame_s_ = dt_s > 0 ? dt_s : 0;
  elapsed_s_ = 0;
  active_ = true;
  for (int j = 0; j < joints_; ++j)
    StartJoint(j, shown_before_previous, shown_previous, new_target);
  for (int s = 0; s < shapes_; ++s)
    StartShape(s, shown_before_previous, shown_previous, new_target);
}

void Inertializer::StartJoint(int j, const PoseView& before, const PoseView& shown,
                              const PoseView& target) {
  const auto i = static_cast<size_t>(j);
  translations_[i] = rotations_[i] = scales_[i] = {};
  if (shown.has_t[j] && target.has_t[j]) {
    const Vec3 d = shown.translation(j) - target.translation(j);
    const Vec3 direction = Normalized(d);
    const float x_before = Dot(before.translation(j) - target.translation(j), direction);
    translations_[i] = MakeDecay(direction, Length(d), x_before, before.has_t[j], duration_s_);
  }
  if (shown.has_r[j] && target.has_r[j]) {
    const Quat inverse = Conjugate(target.rotation(j));
    const Vec3 d = Log(Mul(shown.rotation(j), inverse));
    const Vec3 axis = Normalized(d);
    const float angle = Length(d);
    float x_before = 0;
    if (before.has_r[j]) {
      // Of the two ways round, the one that is near the angle now.
      const float moved = angle - TwistAbout(Mul(before.rotation(j), inverse), axis);
      x_before = angle - std::remainder(moved, 2 * kPi);
    }
    rotations_[i] = MakeDecay(axis, angle, x_before, before.has_r[j], duration_s_);
  }
  if (shown.has_s[j] && target.has_s[j]) {
    const Vec3 d = shown.scale(j) - target.scale(j);
    const Vec3 direction = Normalized(d);
    const float x_before = Dot(before.scale(j) - target.scale(j), direction);
    scales_[i] = MakeDecay(direction, Length(d), x_before, before.has_s[j], duration_s_);
  }
}

void Inertializer::StartShape(int s, const PoseView& before, const PoseView& shown,
                              const PoseView& target) {
  const auto i = static_cast<size_t>(s);
  weights_[i] = {};
  if (!shown.has_w[s] || !target.has_w[s]) return;
  const float d = shown.weights[s] - target.weights[s];
  const float sign = d < 0 ? -1.0f : 1.0f;
  const float x_before = (before.weights[s] - target.weights[s]) * sign;
  weights_[i] = MakeDecay({sign, 0, 0}, d * sign, x_before, before.has_w[s], shapes_duration_s_);
}

Inertializer::Decay Inertializer::MakeDecay(Vec3 direction, float x0, float x_before,
                                            bool has_before, double duration_s) const {
  if (!(x0 > kLeast)) return {};
  Decay decay;
  decay.direction = direction;
  decay.x0 = x0;
  decay.end_s = static_cast<float>(duration_s);
  if (has_before && frame_s_ > 0) {
    decay.v0 = std::min(0.0f, (x0 - x_before) / static_cast<float>(frame_s_));
  }
  if (decay.v0 < 0) decay.end_s = std::min(decay.end_s, -4 * x0 / decay.v0);
  return decay;
}

float Inertializer::At(const Decay& decay) const {
  const float tau = static_cast<float>(elapsed_s_) / decay.end_s;
  if (!(tau < 1)) return 0;
  const float left = 1 - tau;
  return left * left * left * (decay.x0 + (3 * decay.x0 + decay.v0 * decay.end_s) * tau);
}

void Inertializer::Apply(double dt_s, const PoseSpan& pose) {
  if (!active_ || pose.joints != joints_ || pose.shapes != shapes_) return;
  elapsed_s_ += std::max(dt_s, 0.0);
  if (elapsed_s_ >= std::max(duration_s_, shapes_duration_s_)) {
    active_ = false;
    return;
  }
  for (int j = 0; j < joints_; ++j) {
    const auto i = static_cast<size_t>(j);
    const Decay &t = translations_[i], &r = rotations_[i], &s = scales_[i];
    if (t.x0 > 0 && pose.has_t[j]) {
      pose.SetTranslation(j, pose.translation(j) + t.direction * At(t));
    }
    if (r.x0 > 0 && pose.has_r[j]) {
      const Quat offset = FromAxisAngle(r.direction, At(r));
      pose.SetRotation(j, Normalized(Mul(offset, pose.rotation(j))));
    }
    if (s.x0 > 0 && pose.has_s[j]) pose.SetScale(j, pose.scale(j) + s.direction * At(s));
  }
  for (int s = 0; s < shapes_; ++s) {
    const Decay& w = weights_[static_cast<size_t>(s)];
    if (w.x0 > 0 && pose.has_w[s]) pose.SetWeight(s, pose.weights[s] + w.direction.x * At(w));
  }
}

}  // namespace posewire::skel
