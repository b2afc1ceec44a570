#include "libs/graph/transition.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

Transition::Transition(int joints, int shapes, double duration_s)
    : duration_s_(duration_s),
      inertializer_(joints, shapes),
      shown_{skel::Pose(joints, shapes), skel::Pose(joints, shapes)},
      input_(joints, shapes),
      only_(static_cast<size_t>(3 * joints + shapes)) {}

void Transition::Run(double dt_s, bool jump, const skel::PoseView* only, const skel::PoseSpan& pose,
                     double shapes_duration_s) {
  if (jump && ticks_ > 0) {
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
    inertializer_.Start(shown_[ticks_ > 1 ? 1 : 0].view(), shown_[0].view(), shown_dt_s_, target,
                        duration_s_, shapes_duration_s);
    guard_left_s_ = duration_s_ + kCatchUp_s;
    has_input_ = false;
  }
  if (active()) {
    // The guard compares this input with the one before; the inertialiser works in place.
    skel::Pose& now = shown_[1];
    now.span().CopyFrom(pose);
    inertializer_.Apply(dt_s, pose);
    Bound(pose);
    Guard(dt_s, pose);
    std::swap(input_, now);
    has_input_ = true;
    guard_left_s_ -= dt_s;
  }
  std::swap(shown_[0], shown_[1]);
  shown_[0].span().CopyFrom(pose);
  shown_dt_s_ = dt_s;
  ticks_ = std::min(ticks_ + 1, 2);
}

// No weight leaves 0..1 for being eased: only where the input, or what was shown, is outside.
void Transition::Bound(const skel::PoseSpan& pose) const {
  const skel::PoseView before = shown_[0].view(), now = shown_[1].view();
  for (int s = 0; s < pose.shapes; ++s) {
    if (!pose.has_w[s]) continue;
    const float last = before.has_w[s] ? before.weights[s] : now.weights[s];
    pose.weights[s] = std::clamp(pose.weights[s], std::min({0.0f, now.weights[s], last}),
                                 std::max({1.0f, now.weights[s], last}));
  }
}

void Transition::Guard(double dt_s, const skel::PoseSpan& pose) {
  const skel::PoseView before = shown_[0].view(), now = shown_[1].view(), last = input_.view();
  const float frames = static_cast<float>(std::clamp(dt_s * 30, 0.25, 30.0));
  const float free_cos = std::cos(std::min(kFree * frames / 2, 1.5f));
  for (int j = 0; j < pose.joints; ++j) {
    if (!pose.has_r[j] || !before.has_r[j]) continue;
    const Quat a = before.rotation(j), b = pose.rotation(j);
    if (std::fabs(Dot(a, b)) >= free_cos) continue;
    const float step = has_input_ && last.has_r[j] ? Turned(last.rotation(j), now.rotation(j)) : 0;
    const float allowed = Allowed(step, kFree, kMargin, kMost, frames);
    const float turn = Turned(a, b);
    if (turn > allowed) pose.SetRotation(j, Normalized(Slerp(a, b, allowed / turn)));
  }
  for (int s = 0; s < pose.shapes; ++s) {
    if (!pose.has_w[s] || !before.has_w[s]) continue;
    const float way = pose.weights[s] - before.weights[s];
    if (std::fabs(way) <= kFreeWeight * frames) continue;
    const float step =
        has_input_ && last.has_w[s] ? std::fabs(now.weights[s] - last.weights[s]) : 0;
    const float allowed = Allowed(step, kFreeWeight, 0.2f, kMostWeight, frames);
    if (std::fabs(way) > allowed) pose.weights[s] = before.weights[s] + std::copysign(allowed, way);
  }
}

}  // namespace posewire::graph
