#include "services/anim_graph/core/user_liveliness.h"

#include <algorithm>
#include <cmath>

namespace posewire::anim_graph {
namespace {

constexpr double kStep_s = 0.1, kBreak_s = 1, kWait_s = 0.3;
constexpr double kSmooth_s = 1.5;
// Speeds are of hands. A head moves less than half as much as the hands of the same person; turning
// it moves the face round the neck.
constexpr float kHead = 2, kTurn_m = 0.2f;
constexpr float kStill_m_s = 0.05f, kLively_m_s = 1;

// Left to decay from `level` after `seconds`.
float Decayed(float level, double seconds) {
  return level * static_cast<float>(std::exp(-std::max(seconds, 0.0) / kSmooth_s));
}

// Rotations from SetUser may be up to 1 % longer or shorter than a unit quaternion.
float Angle(skel::Quat a, skel::Quat b) { return AngleBetween(Normalized(a), Normalized(b)); }

// Metres that a user has moved: the head and the faster hand.
float Moved(const graph::UserInput& a, const graph::UserInput& b) {
  float head_m = 0, hand_m = 0;
  if (a.has_head && b.has_head) {
    head_m = kHead * Length(b.head - a.head) + kTurn_m * Angle(a.head_rotation, b.head_rotation);
  }
  if (a.has_left_hand && b.has_left_hand) hand_m = Length(b.left_hand - a.left_hand);
  if (a.has_right_hand && b.has_right_hand) {
    hand_m = std::max(hand_m, Length(b.right_hand - a.right_hand));
  }
  return head_m + hand_m;
}

}  // namespace

void UserLiveliness::Note(const graph::UserInput& user, double now_s) {
  const double dt_s = now_s - before_s_;
  if (known_ && dt_s < kStep_s) return;
  if (known_ && dt_s <= kBreak_s) {
    const float speed_m_s = Moved(before_, user) / static_cast<float>(dt_s);
    const float target =
        std::clamp((speed_m_s - kStill_m_s) / (kLively_m_s - kStill_m_s), 0.0f, 1.0f);
    level_ = target + Decayed(level_ - target, dt_s);
  } else {
    level_ = known_ ? At(now_s) : 0;
  }
  known_ = true;
  before_ = user;
  before_s_ = now_s;
}

float UserLiveliness::At(double now_s) const {
  return Decayed(level_, now_s - before_s_ - kWait_s);
}

}  // namespace posewire::anim_graph
