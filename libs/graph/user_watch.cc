#include "libs/graph/user_watch.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace posewire::graph {
namespace {

using skel::Vec3;

constexpr absl::string_view kNames[] = {"comes", "goes",        "nears",   "leaves",
                                        "looks", "looks_away",  "touches", "waves",
                                        "nods",  "shakes_head", "speaks",  "falls_silent"};

constexpr float kWindow_s = 1.6f;
constexpr float kAway_s = 0.5f;
// How long a look must last to count, and how long looking away must last to end it.
constexpr float kLook_s = 0.5f, kOff_s = 1;
// Heads point to within 15 degrees of the gaze target; the eyes do the rest (Stahl, 1999).
constexpr float kLook_rad = 15 * skel::kDeg, kOff_rad = 24 * skel::kDeg;
constexpr float kGaze_m = 0.25f;
constexpr float kWave_m = 0.06f, kHandUp_m = 0.3f;  // the latter below the head
constexpr float kNod = 0.1f, kShake = 0.16f;        // radians

}  // namespace

absl::string_view NameOf(UserAct act) { return kNames[static_cast<size_t>(act)]; }
static_assert(std::size(kNames) == static_cast<size_t>(UserAct::kFallsSilent) + 1);

bool Swing::Step(float value, float least, float dt_s) {
  if (!begun_) {
    begun_ = true;
    low_ = high_ = value;
    return false;
  }
  for (float& ago_s : ago_s_) ago_s += dt_s;
  low_ = std::min(low_, value), high_ = std::max(high_, value);
  const int before = way_;
  if (way_ >= 0 && value < high_ - least) {
    way_ = -1;
  } else if (way_ <= 0 && value > low_ + least) {
    way_ = 1;
  }
  if (way_ == before) return false;
  low_ = high_ = value;
  if (before == 0) return false;  // the first movement
  std::rotate(ago_s_.begin(), ago_s_.end() - 1, ago_s_.end());
  ago_s_[0] = 0;
  turns_ = std::min(turns_ + 1, kTurns);
  if (turns_ < kTurns || ago_s_[kTurns - 1] > kWindow_s) return false;
  turns_ = 0;
  return true;
}

void UserWatch::Looks(const UserInput& user, Vec3 head, float dt_s, UserActs& acts) {
  const Vec3 way = head - user.head;
  const Vec3 front = Rotate(user.head_rotation, {0, 0, 1});
  const float apart = std::atan2(Length(Cross(front, way)), Dot(front, way));
  // If the gaze is known, it is used instead of the head.
  const bool at = user.has_gaze ? Length(user.gaze - head) < kGaze_m : apart < kLook_rad;
  const bool off = user.has_gaze ? !at : apart > kOff_rad;
  look_s_ = at ? look_s_ + dt_s : 0;
  off_s_ = off ? off_s_ + dt_s : 0;
  if (!looks_ && look_s_ >= kLook_s) {
    looks_ = true;
    acts |= BitOf(UserAct::kLooks);
  } else if (looks_ && off_s_ >= kOff_s) {
    looks_ = false;
    acts |= BitOf(UserAct::kLooksAway);
  }
}

UserActs UserWatch::Step(const UserInput* user, Vec3 head, float dt_s) {
  UserActs acts = 0;
  if (user == nullptr || !user->has_head) {
    away_s_ += dt_s;
    if (!here_ || away_s_ < kAway_s) return 0;
    if (looks_) acts |= BitOf(UserAct::kLooksAway);
    if (speaks_) acts |= BitOf(UserAct::kFallsSilent);
    *this = UserWatch();
    return acts | BitOf(UserAct::kGoes);
  }
  away_s_ = 0;
  if (!here_) acts |= BitOf(UserAct::kComes);
  here_ = true;
  Looks(*user, head, dt_s, acts);
  if (user->speaks != speaks_) {
    speaks_ = user->speaks;
    acts |= BitOf(speaks_ ? UserAct::kSpeaks : UserAct::kFallsSilent);
  }
  Vec3 way = head - user->head;
  way.y = 0;
  if (!(Length(way) > 1e-3f)) return acts;
  way = Normalized(way);
  const Vec3 across = Cross({0, 1, 0}, way);
  const bool has[2] = {user->has_left_hand, user->has_right_hand};
  const Vec3 at[2] = {user->left_hand, user->right_hand};
  for (size_t i = 0; i < hands_.size(); ++i) {
    if (!has[i] || at[i].y < user->head.y - kHandUp_m) {
      hands_[i].Forget();
    } else if (hands_[i].Step(Dot(at[i] - user->head, across), kWave_m, dt_s)) {
      acts |= BitOf(UserAct::kWaves);
    }
  }
  const Vec3 front = Rotate(user->head_rotation, {0, 0, 1});
  if (nod_.Step(std::asin(std::clamp(front.y, -1.0f, 1.0f)), kNod, dt_s)) {
    acts |= BitOf(UserAct::kNods);
  }
  if (shake_.Step(std::atan2(Dot(front, across), Dot(front, way)), kShake, dt_s)) {
    acts |= BitOf(UserAct::kShakesHead);
  }
  return acts;
}

}  // namespace posewire::graph
