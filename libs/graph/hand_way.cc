#include "libs/graph/hand_way.h"

#include <algorithm>
#include <cmath>

namespace posewire::graph {
namespace {

using skel::Placement;
using skel::Vec3;

// Fitts's law for reaching and grasping: 40 cm to a cup take 0.8 s.
constexpr double kFitts_s = 0.22, kPerBit_s = 0.2, kWidth_m = 0.06;
// A radian of rotation takes as long as this distance.
constexpr float kTurn_m = 0.08f;
// Hands move over the edge of a table rather than through it.
constexpr float kHandLift = 0.14f, kMostHandLift_m = 0.07f;

// Remaining fraction of a distance, and of a speed, at the fraction `s` of the time.
float Left(float s) { return 1 - s * s * s * (10 + s * (-15 + s * 6)); }
float LeftOfSpeed(float s) { return s * (1 + s * s * (-6 + s * (8 - s * 3))); }

}  // namespace

double ReachTime(float distance_m, float angle_rad) {
  const double way = static_cast<double>(distance_m + kTurn_m * angle_rad);
  return std::max(kFitts_s + kPerBit_s * std::log2(way / kWidth_m + 1), 0.3);
}

void HandWay::Begin(const Placement& from, const Placement& goal, double time_s) {
  if (!begun_) {
    shown_ = from;
    shown_speed_ = shown_turn_speed_ = {};
  }
  begun_ = true;
  at_s_ = 0;
  time_s_ = std::max(time_s, 1e-3);
  miss_ = shown_.at - goal.at;
  turn_ = Log(Normalized(Mul(shown_.turn, Conjugate(goal.turn))));
  speed_ = shown_speed_, turn_speed_ = shown_turn_speed_;
  // A hand that already moves gets no lift, since it would be lifted twice.
  const float still = std::clamp(1 - Length(speed_) / 0.2f, 0.0f, 1.0f);
  lift_m_ = std::min(kHandLift * Length(miss_), kMostHandLift_m) * still;
}

Placement HandWay::Step(const Placement& goal, double dt_s) {
  at_s_ = std::min(at_s_ + dt_s, time_s_);
  const auto s = static_cast<float>(at_s_ / time_s_), t = static_cast<float>(time_s_);
  const float left = Left(s), more = LeftOfSpeed(s) * t;
  Placement next;
  next.at = goal.at + miss_ * left + speed_ * more;
  next.at.y += lift_m_ * 4 * left * (1 - left);
  next.turn = Normalized(Mul(skel::Exp(turn_ * left + turn_speed_ * more), goal.turn));
  if (dt_s > 0) {
    const float rate = 1 / static_cast<float>(dt_s);
    shown_speed_ = (next.at - shown_.at) * rate;
    shown_turn_speed_ = Log(Normalized(Mul(next.turn, Conjugate(shown_.turn)))) * rate;
  }
  return shown_ = next;
}

float HandWay::done() const { return begun_ ? 1 - Left(static_cast<float>(at_s_ / time_s_)) : 0; }

}  // namespace posewire::graph
