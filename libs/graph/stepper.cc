#include "libs/graph/stepper.h"

#include <algorithm>
#include <cmath>

#include "libs/graph/small_math.h"

namespace posewire::graph {
namespace {

using skel::kDeg;
using skel::Vec3;

// Differences that cause a step while the body moves, and the factor after it has rested for a
// while.
constexpr float kFar_m = 0.12f, kFar_rad = 25 * kDeg;
constexpr float kRestedWorth = 0.33f, kRest_s = 0.8f;
constexpr float kRests_m_s = 0.01f, kRests_rad_s = 3 * kDeg;
// Time between the steps of the two feet; and the factor on the limits, and the time, within which
// the other foot follows.
constexpr float kBetween_s = 0.06f, kFollows = 0.5f, kFollows_s = 0.3f;
// How far ahead a foot is compared.
constexpr float kAhead_s = 0.1f;
// Steps are shorter the faster the body turns.
constexpr float kSlow_s = 0.55f, kQuick_s = 0.4f, kQuick_rad_s = 80 * kDeg;
// How far a foot may turn in and out relative to the other one, in addition to the animation.
constexpr float kIn = 12 * kDeg, kOut = 50 * kDeg;
// Fraction of the way to the standing foot that the hips move, the maximum, and how far down.
constexpr float kOver = 0.4f, kMostOver_m = 0.045f, kDown_m = 0.015f;
// Stiffness of the hips, 1/s.
constexpr float kHips_hz = 9;

bool Moves(const WantedFoot& foot) {
  return Length(Flat(foot.speed_m_s)) > kRests_m_s || std::fabs(foot.turning_rad_s) > kRests_rad_s;
}

// Returns 1 for a difference that is just large enough for a step.
float Worth(const FootPlace& wanted, const FootPlace& stands) {
  const float way = Length(Flat(wanted.at - stands.at)) / kFar_m;
  return std::max(way, std::fabs(Wrapped(wanted.heading - stands.heading)) / kFar_rad);
}

}  // namespace

bool Stepper::idle() const {
  return stepping_ < 0 && Length(hips_) == 0 && Length(hips_speed_m_s_) == 0;
}

FootPlace Stepper::Wanted(const Feet& feet, size_t side, float ahead_s) {
  const WantedFoot& w = feet.wanted[side];
  FootPlace out = w.now;
  out.at = Lerp(w.before.at, w.now.at, feet.share) + Flat(w.speed_m_s) * ahead_s;
  out.heading = w.before.heading + Wrapped(w.now.heading - w.before.heading) * feet.share +
                w.turning_rad_s * ahead_s;
  return out;
}

FootPlace Stepper::Goal(const Feet& feet, size_t side, float ahead_s) {
  FootPlace out = Wanted(feet, side, ahead_s);
  const size_t other = 1 - side;
  const float apart = Wrapped(feet.wanted[side].now.heading - feet.wanted[other].now.heading);
  const float by = Wrapped(out.heading - feet.shown[other].heading - apart);
  out.heading += (side == 0 ? std::clamp(by, -kIn, kOut) : std::clamp(by, -kOut, kIn)) - by;
  return out;
}

int Stepper::Next(const Feet& feet) const {
  if (since_s_ < kBetween_s) return -1;
  float worth[2];
  for (size_t side = 0; side < 2; ++side) {
    worth[side] = Worth(Wanted(feet, side, kAhead_s), feet.shown[side]);
    float least = still_s_ > kRest_s ? kRestedWorth : 1;
    if (last_ == 1 - static_cast<int>(side) && since_s_ < kFollows_s) least *= kFollows;
    if (worth[side] < least) worth[side] = 0;
  }
  if (worth[0] == 0 && worth[1] == 0) return -1;
  if (worth[0] == 0 || worth[1] == 0) return worth[0] > 0 ? 0 : 1;
  // Both need a step: alternate, and begin with the one on the side of the motion.
  if (last_ >= 0 && since_s_ < kFollows_s) return 1 - last_;
  float left = 0;
  for (size_t side = 0; side < 2; ++side) {
    const FootPlace wanted = Wanted(feet, side, kAhead_s);
    const FootPlace& stands = feet.shown[side];
    const Vec3 out = Rotate(skel::FromAxisAngle({0, 1, 0}, stands.heading), {1, 0, 0});
    left += Wrapped(wanted.heading - stands.heading) / kFar_rad +
            Dot(Flat(wanted.at - stands.at), out) / kFar_m;
  }
  return left > 0 ? 0 : 1;
}

void Stepper::Begin(const Feet& feet, size_t side) {
  const float turning = std::fabs(feet.wanted[side].turning_rad_s);
  const float quick = std::min(turning / kQuick_rad_s, 1.0f);
  const float length_s = kSlow_s + (kQuick_s - kSlow_s) * quick;
  stepping_ = static_cast<int>(side);
  step_.Begin(feet.shown[side], Goal(feet, side, length_s), length_s, shape_[side]);
}

void Stepper::MoveHips(const Feet& feet, float dt_s) {
  Vec3 goal;
  if (stepping_ >= 0) {
    const auto stands = static_cast<size_t>(1 - stepping_);
    const Vec3 middle = Lerp(Wanted(feet, 0, 0).at, Wanted(feet, 1, 0).at, 0.5f);
    goal = Flat(feet.shown[stands].at - middle) * kOver;
    if (const float way = Length(goal); way > kMostOver_m) goal = goal * (kMostOver_m / way);
    goal.y = -kDown_m;
  }
  FollowDamped(goal, kHips_hz, dt_s, hips_, hips_speed_m_s_);
  if (stepping_ < 0 && Length(hips_) < 1e-4f && Length(hips_speed_m_s_) < 1e-3f) {
    hips_ = hips_speed_m_s_ = {};
  }
}

void Stepper::Advance(float dt_s, const std::array<WantedFoot, 2>& wanted,
                      const std::array<bool, 2>& held, std::array<FootPlace, 2>& shown) {
  const bool both = held[0] && held[1];
  const int count = Substeps(dt_s);
  const float h = dt_s / static_cast<float>(count);
  const bool moves = Moves(wanted[0]) || Moves(wanted[1]);
  for (int k = 1; k <= count; ++k) {
    const Feet feet{wanted, shown, static_cast<float>(k) / static_cast<float>(count)};
    still_s_ = moves ? 0 : still_s_ + h;
    if (stepping_ >= 0) {
      const auto side = static_cast<size_t>(stepping_);
      step_.Advance(h, Goal(feet, side, step_.left_s()));
      shown[side] = step_.now();
      if (step_.done()) last_ = stepping_, stepping_ = -1, since_s_ = 0;
    } else {
      since_s_ += h;
      if (both) {
        if (const int next = Next(feet); next >= 0) Begin(feet, static_cast<size_t>(next));
      }
    }
    MoveHips(feet, h);
  }
}

}  // namespace posewire::graph
