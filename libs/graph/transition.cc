#include "libs/graph/transition.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/graph/turns.h"

namespace posewire::graph {
namespace {

using skel::Quat;

constexpr float kDeg = 0.01745329252f;
// A 30th of a second's largest turn while a transition runs: what the input does plus kMargin, but
// kMost unless the input alone turns further.
constexpr float kFree = 32 * kDeg, kMargin = 20 * kDeg, kMost = 38 * kDeg;
constexpr float kFreeWeight = 0.5f, kMostWeight = 0.56f;
// How long after a transition the guard may still catch up.
constexpr double kCatchUp_s = 0.5;

float Allowed(float step, float free, float margin, float most, float frames) {
  return std::max({free * frames, std::min(step + margin * frames, most * frames), step});
}

float Turned(Quat a, Quat b) { return 2 * std::acos(std::min(std::fabs(Dot(a, b)), 1.0f)); }

}  // namespace

void Transition::Input::CopyFrom(const skel::PoseView& pose) {
  const auto joints = static_cast<size_t>(pose.joints), shapes = static_cast<size_t>(pose.shapes);
  float* row = rotations.data();
  for (const float* from : {pose.qw, pose.qx, pose.qy, pose.qz}) {
    std::copy_n(from, joints, row);
    row += joints;
  }
  std::copy_n(pose.weights, shapes, weights.data());
  std::copy_n(pose.has_r, joints, has_r.data());
  std::copy_n(pose.has_w, shapes, has_w.data());
}

Quat Transition::Input::rotation(int j) const {
  const auto i = static_cast<size_t>(j), n = has_r.size();
  return {rotations[i], rotations[n + i], rotations[2 * n + i], rotations[3 * n + i]};
}

Transition::Transition(int joints, int shapes, double duration_s, int first,
                       const skel::PoseView& rest)
    : duration_s_(duration_s),
      inertializer_(joints, shapes),
      shown_(first, joints, shapes, rest),
      only_(static_cast<size_t>(3 * joints + shapes)) {
  const auto j = static_cast<size_t>(joints), s = static_cast<size_t>(shapes);
  for (Input& input : inputs_) {
    input.rotations.resize(4 * j);
    input.has_r.resize(j);
    input.weights.resize(s);
    input.has_w.resize(s);
  }
}

void Transition::Start(const skel::PoseView* only, const skel::PoseView& pose,
                       double shapes_duration_s) {
  skel::PoseView target = pose;
  if (only != nullptr) {
    // Of those, the elements that there are.
    const auto joints = static_cast<size_t>(pose.joints);
    uint8_t* row = only_.data();
    const auto both = [&row](const uint8_t* a, const uint8_t* b, size_t n) {
      for (size_t i = 0; i < n; ++i) row[i] = a[i] & b[i];
      return std::exchange(row, row + n);
    };
    target.has_t = both(only->has_t, pose.has_t, joints);
    target.has_r = both(only->has_r, pose.has_r, joints);
    target.has_s = both(only->has_s, pose.has_s, joints);
    target.has_w = both(only->has_w, pose.has_w, static_cast<size_t>(pose.shapes));
  }
  inertializer_.Start(shown_.before(), shown_.newest(), shown_.dt_s(), target, duration_s_,
                      shapes_duration_s);
  guard_left_s_ = duration_s_ + kCatchUp_s;
  has_input_ = false;
}

void Transition::Run(double dt_s, bool jump, const skel::PoseView* only, const skel::PoseSpan& pose,
                     double shapes_duration_s) {
  if (jump && shown_.ticks() > 0) Start(only, pose, shapes_duration_s);
  if (active()) {
    // The guard compares this input with the one before; the inertialiser works in place.
    now_ = 1 - now_;
    inputs_[now_].CopyFrom(pose);
    inertializer_.Apply(dt_s, pose);
    Bound(pose);
    const bool held = Guard(dt_s, pose);
    has_input_ = true;
    guard_left_s_ -= dt_s;
    // Once the input is shown as it is, it does so for good: its own steps are free.
    if (!inertializer_.active() && !held) guard_left_s_ = 0;
  }
  shown_.Keep(dt_s, pose);
}

// No weight leaves 0..1 for being eased: only where the input, or what was shown, is outside.
void Transition::Bound(const skel::PoseSpan& pose) const {
  const skel::PoseView before = shown_.newest();
  const std::vector<float>& now = inputs_[now_].weights;
  for (int s = 0; s < pose.shapes; ++s) {
    if (!pose.has_w[s]) continue;
    const float input = now[static_cast<size_t>(s)];
    const float last = before.has_w[s] ? before.weights[s] : input;
    pose.weights[s] =
        std::clamp(pose.weights[s], std::min({0.0f, input, last}), std::max({1.0f, input, last}));
  }
}

bool Transition::Guard(double dt_s, const skel::PoseSpan& pose) {
  const skel::PoseView before = shown_.newest();
  const Input &now = inputs_[now_], &last = inputs_[1 - now_];
  const float frames = static_cast<float>(std::clamp(dt_s * 30, 0.25, 30.0));
  const float free_cos = std::cos(std::min(kFree * frames / 2, 1.5f));
  bool held = false;
  // Mostly no joint turns far.
  const bool far = LeastTurnCos2(RotationsOf(before), RotationsOf(pose),
                                 static_cast<size_t>(pose.joints)) < free_cos * free_cos;
  for (int j = 0; far && j < pose.joints; ++j) {
    if (!pose.has_r[j] || !before.has_r[j]) continue;
    const Quat a = before.rotation(j), b = pose.rotation(j);
    if (std::fabs(Dot(a, b)) >= free_cos) continue;
    const bool has_step = has_input_ && last.has_r[static_cast<size_t>(j)] != 0;
    const float step = has_step ? Turned(last.rotation(j), now.rotation(j)) : 0;
    const float allowed = Allowed(step, kFree, kMargin, kMost, frames);
    const float turn = Turned(a, b);
    if (turn <= allowed) continue;
    pose.SetRotation(j, Normalized(Slerp(a, b, allowed / turn)));
    held = true;
  }
  for (int s = 0; s < pose.shapes; ++s) {
    if (!pose.has_w[s] || !before.has_w[s]) continue;
    const float way = pose.weights[s] - before.weights[s];
    if (std::fabs(way) <= kFreeWeight * frames) continue;
    const auto i = static_cast<size_t>(s);
    const bool has_step = has_input_ && last.has_w[i] != 0;
    const float step = has_step ? std::fabs(now.weights[i] - last.weights[i]) : 0;
    const float allowed = Allowed(step, kFreeWeight, 0.2f, kMostWeight, frames);
    if (std::fabs(way) <= allowed) continue;
    pose.weights[s] = before.weights[s] + std::copysign(allowed, way);
    held = true;
  }
  return held;
}

}  // namespace posewire::graph
