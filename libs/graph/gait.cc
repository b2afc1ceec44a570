#include "libs/graph/gait.h"

#include <algorithm>
#include <cmath>

#include "libs/graph/small_math.h"

namespace posewire::graph {
namespace {

using skel::kDeg;
using skel::kPi;
using skel::Quat;
using skel::Vec3;

// Leg length of the people from whom the values below were measured, in metres.
constexpr float kLeg_m = 0.85f;
// A faster body walks; one slower than the second value has stopped.
constexpr float kWalks_m_s = 0.2f, kStopped_m_s = 0.12f;
// Length of a step per step per minute, and the shortest and longest duration of a step.
constexpr float kWalkRatio_m = 0.0062f, kQuickest_s = 0.4f, kSlowest_s = 0.72f;
// Fraction of a step with both feet on the ground: at zero speed, reduction per m/s, and minimum.
constexpr float kBoth = 0.3f, kBothLess = 0.15f, kBothLeast = 0.08f;
// Time from the decision to walk until the first foot leaves the ground; and duration of the first
// swing as a fraction of the usual one, from the ground and for a foot that was already in the air.
constexpr float kSetOff_s = 0.1f, kFirst = 0.85f, kTaken = 0.6f;
// Acceleration with which a foot is pulled off the ground and stopped: times the squared duration
// of its swing, divided by the distance.
constexpr float kPull = 6;
// A step of this length has the full pitch and swing below.
constexpr float kFull_m = 0.66f;
// The longest step in leg lengths, to the side and ahead; and the fraction of a foot's stance at
// which the body is over it: before the middle, because the rising heel moves the ankle after the
// body.
constexpr float kLongestAside = 0.5f, kLongest = 1.1f, kBodyOver = 0.9f;
// Differences that cause another step before standing.
constexpr float kStepAgain_m = 0.035f, kStepAgain_rad = 8 * kDeg;
// Height of a rising sole, and minimum and usual distance between the ankles in walking.
constexpr float kSwingLift_m = 0.022f, kApart_m = 0.1f, kNarrow_m = 0.06f;
// How soon a change of motion is noticed, for how long an acceleration is extrapolated, and how far
// ahead the speed is predicted.
constexpr float kPush_s = 0.05f, kBelieved_s = 0.2f, kForesees_s = 0.4f;
// Largest angle and speed of a rising heel; and the length of a stance leg relative to its full
// length, with the reduction until its foot leaves the ground.
constexpr float kHighest = 65 * kDeg, kRaise_rad_s = 7, kStraight = 0.994f, kBends = 0.03f;
// A foot that the leg can no longer reach leaves the ground immediately.
constexpr float kLate = 0.996f;
// Fraction of a swing after which the foot is pulled towards the body.
constexpr float kDrawn = 0.15f;
// Largest relative length of walking legs while the body is over them.
constexpr float kLongestLeg = 0.985f;
// Rates at which pitch and step length follow.
constexpr float kPitch_hz = 40, kStep_hz = 5;

// The pitch of the foot in degrees by phase: in 0..1 both feet are on the ground and this one has
// landed, in 1..2 it alone is on the ground, in 2..3 both are and it is about to leave, in 3..4 it
// swings.
struct Knot {
  float at, deg;
};
constexpr Knot kPitch[] = {{0, -17},   {0.75f, 0}, {1.4f, 0},    {2, 20}, {3, 54},
                           {3.2f, 58}, {3.6f, 5},  {3.82f, -23}, {4, -17}};
constexpr int kKnots = 9;

Vec3 Turned(float heading, Vec3 v) { return Rotate(skel::FromAxisAngle({0, 1, 0}, heading), v); }

// Piecewise cubic without overshoot (Fritsch and Carlson, 1980).
float PitchAt(float phase, float both_s, float air_s) {
  const auto time = [&](int k) {
    // Seconds from the start of the cycle; knots beyond its ends are those of the next cycle.
    const float at = kPitch[(k + kKnots - 1) % (kKnots - 1)].at;
    const float whole = 2 * (both_s + air_s);
    const float t = at <= 1   ? at * both_s
                    : at <= 2 ? both_s + (at - 1) * air_s
                    : at <= 3 ? both_s + air_s + (at - 2) * both_s
                              : whole - (4 - at) * air_s;
    return k < 0 ? t - whole : k >= kKnots - 1 ? t + whole : t;
  };
  const auto value = [&](int k) { return kPitch[(k + kKnots - 1) % (kKnots - 1)].deg; };
  int k = 0;
  while (k < kKnots - 2 && phase >= kPitch[k + 1].at) ++k;
  const auto slope = [&](int i) { return (value(i + 1) - value(i)) / (time(i + 1) - time(i)); };
  const auto tangent = [&](int i) {
    const float a = slope(i - 1), b = slope(i);
    return a * b <= 0 ? 0 : 2 * a * b / (a + b);
  };
  const float h = time(k + 1) - time(k);
  const float next = kPitch[k + 1].at;
  const float u = std::clamp((phase - kPitch[k].at) / (next - kPitch[k].at), 0.0f, 1.0f);
  const float u2 = u * u, u3 = u2 * u;
  return (2 * u3 - 3 * u2 + 1) * value(k) + (u3 - 2 * u2 + u) * h * tangent(k) +
         (3 * u2 - 2 * u3) * value(k + 1) + (u3 - u2) * h * tangent(k + 1);
}

std::array<WantedFoot, 2> WantedAt(const std::array<WantedFoot, 2>& wanted, float share) {
  std::array<WantedFoot, 2> out = wanted;
  for (WantedFoot& foot : out) {
    foot.now.at = Lerp(foot.before.at, foot.now.at, share);
    foot.now.heading =
        foot.before.heading + Wrapped(foot.now.heading - foot.before.heading) * share;
  }
  return out;
}

float HeadingOf(const std::array<WantedFoot, 2>& feet) {
  return feet[0].now.heading + 0.5f * Wrapped(feet[1].now.heading - feet[0].now.heading);
}

}  // namespace

void Gait::Observe(float dt_s, const std::array<WantedFoot, 2>& wanted) {
  const Vec3 speed = Flat(wanted[0].speed_m_s + wanted[1].speed_m_s) * 0.5f;
  if (dt_s > 0) {
    const Vec3 push = (speed - speed_m_s_) * (1 / dt_s);
    push_m_s2_ = push_m_s2_ + (push - push_m_s2_) * Share(dt_s, kPush_s);
  }
  speed_m_s_ = speed;
  turning_rad_s_ = 0.5f * (wanted[0].turning_rad_s + wanted[1].turning_rad_s);
  // The feet of a turning body move in opposite directions around its middle.
  const Vec3 across = wanted[0].now.at - wanted[1].now.at;
  const Vec3 round = Cross({0, turning_rad_s_, 0}, across);
  apart_m_s_ = Length(Flat(wanted[0].speed_m_s - wanted[1].speed_m_s) - round);
}

bool Gait::wanted() const {
  const float speed = Length(speed_m_s_);
  return speed > kWalks_m_s && apart_m_s_ < 0.3f * speed;
}

float Gait::scale() const { return leg_m_ / kLeg_m; }

float Gait::Amount() const { return step_m_ / (kFull_m * scale()); }

float Gait::Forwards(float heading) const {
  return std::max(Dot(Normalized(speed_m_s_), Turned(heading, {0, 0, 1})), 0.0f);
}

void Gait::Begin(const std::array<WantedFoot, 2>& wanted, const std::array<FootPlace, 2>& shown,
                 int stepping, Vec3 speed_m_s) {
  walks_ = true, goes_on_ = true, sets_off_ = true;
  for (size_t side = 0; side < 2; ++side) {
    Foot& foot = feet_[side];
    foot = Foot{};
    foot.sole = shown[side];
    if (stepping == static_cast<int>(side)) {
      // A foot in the air has its own pitch.
      foot.sole.tilt = wanted[side].now.tilt;
      foot.pitch = Log(Mul(shown[side].tilt, Conjugate(foot.sole.tilt))).x;
      foot.sole.at = foot.sole.at + shown[side].at - Rolled(side, foot.pitch).at;
    }
    foot.from = foot.goal = foot.sole;
  }
  pace_m_s_ = std::max(pace_m_s_, Length(speed_m_s_));
  swing_ = stepping;
  if (stepping >= 0) {
    landed_ = 1 - stepping, swung_ = 0;
    first_ = kTaken;
    feet_[static_cast<size_t>(stepping)].from_speed_m_s = Flat(speed_m_s);
  } else {
    // The foot on the side of the motion; straight ahead, the rear one.
    const Vec3 way = Normalized(speed_m_s_);
    const float left = Dot(Turned(HeadingOf(wanted), {1, 0, 0}), way);
    const float behind = Dot(shown[1].at - shown[0].at, way);
    const bool left_first = std::fabs(left) > 0.5f ? left > 0 : behind > 0;
    landed_ = left_first ? 1 : 0;
    since_s_ = 0;
    first_ = kFirst;
  }
  phase_ = landed_ == 0 ? 0 : kPi;
}

// Determines length and rate of the steps at the current speed.
void Gait::Pace(float dt_s) {
  const float v = Length(speed_m_s_), scale = std::sqrt(this->scale());
  // A body that starts to walk does not begin with slow steps.
  const float soon = Length(speed_m_s_ + push_m_s2_ * kForesees_s);
  const float fast = std::max(v, soon);
  pace_m_s_ += (fast - pace_m_s_) * Share(dt_s, fast > pace_m_s_ ? 0.05f : 0.7f);
  const float usual = pace_m_s_ / scale;
  const float a_minute = std::sqrt(60 * std::max(usual, 0.01f) / kWalkRatio_m);
  const float step_s = std::clamp(60 / a_minute, kQuickest_s, kSlowest_s) * scale;
  const float both = std::clamp(kBoth - kBothLess * usual, kBothLeast, kBoth);
  air_s_ = step_s * (1 - both) * (sets_off_ ? first_ : 1);
  both_s_ = sets_off_ ? kSetOff_s : step_s * both;
  FollowDamped(walks_ ? v * step_s : 0.0f, kStep_hz, dt_s, step_m_, step_speed_);
  if (!walks_ && std::fabs(step_m_) < 1e-4f && std::fabs(step_speed_) < 1e-3f) {
    step_m_ = step_speed_ = 0;
  }
}

// Returns how far the body will move with its current acceleration.
Vec3 Gait::Way(float ahead_s) const {
  const float along = Dot(push_m_s2_, speed_m_s_);
  if (along >= 0) {
    const float believed = std::min(ahead_s, kBelieved_s);
    return speed_m_s_ * ahead_s + push_m_s2_ * (believed * (ahead_s - 0.5f * believed));
  }
  // It stops, and does not move back.
  const float stops = -Dot(speed_m_s_, speed_m_s_) / along;
  const float t = std::min(ahead_s, stops);
  return speed_m_s_ * t + push_m_s2_ * (0.5f * t * t);
}

FootPlace Gait::Goal(const std::array<WantedFoot, 2>& now, size_t side, float lands_in_s) const {
  const float ahead = lands_in_s + kBodyOver * (both_s_ + 0.5f * air_s_);
  const Vec3 middle = Lerp(now[0].now.at, now[1].now.at, 0.5f);
  const float heading = HeadingOf(now);
  const float turn = std::clamp(turning_rad_s_ * ahead, -0.7f, 0.7f);
  const Vec3 left = Turned(heading + turn, {1, 0, 0});
  Vec3 off = Turned(turn, Flat(now[side].now.at - middle));
  const Vec3 way = Way(ahead);
  const float sign = side == 0 ? 1 : -1, scale = this->scale();
  // The faster the forward motion, the closer the feet are to one line.
  const float later =
      std::max(Length(speed_m_s_) + Dot(push_m_s2_, Normalized(speed_m_s_)) * ahead, 0.0f);
  const float forwards = Forwards(heading);
  const float wide = sign * Dot(off, left) - kNarrow_m * scale;
  if (wide > 0) off = off - left * (sign * wide * std::min(later / 0.8f, 1.0f) * forwards);
  FootPlace goal = now[side].now;
  goal.at = middle + off + way;
  goal.at.y = now[side].now.at.y;
  goal.heading += turn;
  const FootPlace& other = feet_[1 - side].sole;
  const Vec3 step = Flat(goal.at - other.at);
  const float longest = leg_m_ * (kLongestAside + (kLongest - kLongestAside) * forwards);
  if (const float over = Length(step) - longest; over > 0) {
    goal.at = goal.at - Normalized(step) * over;
  }
  // It must not land on the other foot.
  const float apart = sign * Dot(goal.at - other.at, left);
  if (const float less = kApart_m * scale - apart; less > 0)
    goal.at = goal.at + left * (sign * less);
  return goal;
}

bool Gait::MustStep(const std::array<WantedFoot, 2>& now, size_t side) const {
  if (Length(speed_m_s_) > kWalks_m_s) return true;
  const FootPlace goal = Goal(now, side, air_s_);
  const FootPlace& stands = feet_[side].sole;
  return Length(Flat(goal.at - stands.at)) > kStepAgain_m * scale() ||
         std::fabs(Wrapped(goal.heading - stands.heading)) > kStepAgain_rad;
}

void Gait::Lift(const std::array<WantedFoot, 2>& now, int side) {
  Foot& foot = feet_[static_cast<size_t>(side)];
  swing_ = side, swung_ = 0;
  foot.from = foot.sole;
  foot.from_speed_m_s = {};
  foot.goal = Goal(now, static_cast<size_t>(side), air_s_);
}

void Gait::Swing(float dt_s, const std::array<WantedFoot, 2>& now) {
  const auto side = static_cast<size_t>(swing_);
  Foot& foot = feet_[side];
  Aim(dt_s, swung_, Goal(now, side, (1 - swung_) * air_s_), foot.goal);
  swung_ = std::min(swung_ + dt_s / air_s_, 1.0f);
  if (swung_ > 0.9999f) {
    foot.sole = foot.goal;
    landed_ = swing_, swing_ = -1, since_s_ = 0;
    sets_off_ = false;
    goes_on_ = MustStep(now, 1 - side);
    return;
  }
  const float s = swung_, s3 = s * s * s;
  const float way = LeastJerk(s);
  const float carried = (s - s3 * (6 + s * (3 * s - 8))) * air_s_;
  // In fast walking, the foot is pulled off the ground, and stopped by it.
  const float pulled =
      0.5f * s * s * (1 - s) * (1 - s) * (1 - 2 * s) * kPull * std::min(Amount(), 1.0f);
  foot.sole.at = Lerp(foot.from.at, foot.goal.at, way + pulled) + foot.from_speed_m_s * carried;
  // It rises before it moves, and comes down after it has moved.
  foot.sole.at.y += 4 * s * (1 - s) * kSwingLift_m * scale();
  foot.sole.heading = foot.from.heading + Wrapped(foot.goal.heading - foot.from.heading) * way;
  foot.sole.tilt = Slerp(foot.from.tilt, foot.goal.tilt, way);
}

void Gait::StepFeet(float dt_s, const std::array<WantedFoot, 2>& now) {
  if (swing_ >= 0) return Swing(dt_s, now);
  since_s_ += dt_s;
  const auto next = static_cast<size_t>(1 - landed_);
  const bool next_must = MustStep(now, next);
  goes_on_ = goes_on_ || next_must;
  if (since_s_ >= both_s_ || late_) {
    late_ = false;
    if (next_must) return Lift(now, 1 - landed_);
    if (MustStep(now, static_cast<size_t>(landed_))) return Lift(now, landed_);
    goes_on_ = false;
  }
  const bool flat = std::fabs(feet_[0].pitch) + std::fabs(feet_[1].pitch) < 0.1f * kDeg;
  if (!goes_on_ && flat && Length(speed_m_s_) < kStopped_m_s) walks_ = false;
}

// Returns a foot's phase, as in kPitch.
float Gait::PhaseOf(size_t side) const {
  if (swing_ == static_cast<int>(side)) return 3 + swung_;
  if (swing_ >= 0) return 1 + swung_;
  const float part = std::min(since_s_ / both_s_, 1.0f);
  if (landed_ == static_cast<int>(side)) return part;
  return goes_on_ ? 2 + part : 1.2f;
}

void Gait::Roll(float dt_s) {
  const float gain = std::min(Amount(), 1.2f) * (step_m_ > 0 ? Forwards(body_.heading) : 0) * kDeg;
  for (size_t side = 0; side < 2; ++side) {
    Foot& foot = feet_[side];
    FollowDamped(PitchAt(PhaseOf(side), both_s_, air_s_) * gain, kPitch_hz, dt_s, foot.pitch,
                 foot.pitch_speed);
    body_.toe_flex[side] = std::max(foot.pitch, 0.0f) * ToesStay(side);
  }
}

FootPlace Gait::Rolled(size_t side, float pitch) const {
  const Foot& foot = feet_[side];
  const FootShape& shape = shape_[side];
  const float sine = std::sin(pitch), less = 1 - std::cos(pitch);
  // The transition from toe to heel is smooth, but only in the air.
  const float soft = swing_ == static_cast<int>(side) ? 0.12f * Bump(swung_) : 0;
  const float mean = 0.5f * (shape.ball_m + shape.back_m),
              half = 0.5f * (shape.ball_m - shape.back_m);
  const float up =
      half * sine + mean * (std::sqrt(sine * sine + soft * soft) - soft) - shape.ankle_m * less;
  const float front = shape.ankle_m * sine + (pitch > 0 ? shape.ball_m : -shape.back_m) * less;
  FootPlace out = foot.sole;
  out.at = out.at + Turned(out.heading, {0, 0, front});
  out.at.y += up;
  out.tilt = Mul(skel::FromAxisAngle({1, 0, 0}, pitch), out.tilt);
  return out;
}

void Gait::RaiseHeel(float dt_s, size_t side, Vec3 hip, FootPlace& shown) {
  Foot& foot = feet_[side];
  const Vec3 to = Flat(hip - shown.at);
  // Only a part that is behind comes nearer by this.
  const float behind = Dot(Normalized(to), Turned(shown.heading, {0, 0, 1}));
  // The knee bends before the foot leaves the ground, and can stretch before it lands.
  const float phase = PhaseOf(side);
  const float bends = Smoothstep(phase - 2) * (1 - Smoothstep((phase - 3.3f) / 0.5f));
  const float most_m = leg_m_ * (kStraight - kBends * bends * std::min(Amount(), 1.0f));
  float needed = 0;
  if (Length(hip - shown.at) > most_m && behind > 0) {
    float low = foot.pitch, high = std::max(low, kHighest);
    for (int k = 0; k < 10; ++k) {
      const float pitch = 0.5f * (low + high);
      (Length(hip - Rolled(side, pitch).at) > most_m ? low : high) = pitch;
    }
    needed = (high - foot.pitch) * Smoothstep(2 * behind);
  }
  const float most = kRaise_rad_s * dt_s;
  foot.raised += std::clamp(needed - foot.raised, -most, most);
  if (foot.raised > 0) {
    const float pitch = foot.pitch + foot.raised;
    shown = Rolled(side, pitch);
    body_.toe_flex[side] = std::max(pitch, 0.0f) * ToesStay(side);
  }
  late_ |=
      swing_ < 0 && landed_ != static_cast<int>(side) && Length(hip - shown.at) > kLate * leg_m_;
  if (swing_ != static_cast<int>(side) || behind <= 0) return;
  // In the air the foot is pulled after the body.
  const Vec3 off = hip - shown.at;
  const float across = Length(Flat(off)), room = most_m * most_m - off.y * off.y;
  const float over = across - std::sqrt(std::max(room, 0.0f));
  if (over > 0) {
    const float part = Smoothstep(swung_ / kDrawn) * (1 - Smoothstep(swung_ / kDrawn - 3));
    shown.at = shown.at + Normalized(Flat(off)) * (over * part * Smoothstep(2 * behind));
  }
}

// Returns how far toes are still on the ground, or move as if they were.
float Gait::ToesStay(size_t side) const {
  const float phase = PhaseOf(side);
  return phase < 1 ? Smoothstep(phase) : 1 - Smoothstep((phase - 3) / 0.7f);
}

void Gait::MoveBody(float dt_s, float stand_m) {
  const float step_s = both_s_ + air_s_;
  if (walks_) {
    // The cycle of the body advances evenly, and is pulled to that of the feet.
    const float done =
        swing_ >= 0 ? (both_s_ + swung_ * air_s_) / step_s : std::min(since_s_, both_s_) / step_s;
    const float feet = (landed_ == 0 ? done : 1 + done) * kPi;
    phase_ = Wrapped(phase_ + dt_s * kPi / step_s + Wrapped(feet - phase_) * Share(dt_s, 0.1f));
  } else {
    phase_ = Wrapped(phase_ + dt_s * kPi / step_s);
  }
  const float scale = this->scale(), amount = Amount();
  const auto wave = [&](float turns) { return std::cos(phase_ - 2 * kPi * turns); };
  body_.left_m = 0.02f * scale * std::min(amount, 1.0f) * wave(0.27f);
  // Lower by the arc of the legs. The lowest point is when a heel comes down, slightly before the
  // foot has come to rest.
  const float drop = step_m_ * step_m_ / (10.5f * leg_m_);
  const float stiff = std::max(stand_m - kLongestLeg * leg_m_, 0.0f);
  body_.up_m = -(0.006f * scale + stiff) * std::min(2 * amount, 1.0f) -
               drop * (0.5f + 0.5f * std::cos(2 * (phase_ + kPi * 0.07f)));
  // Fastest where they are lowest.
  body_.ahead_m = 0.011f * scale * std::min(amount, 1.2f) * std::sin(2 * (phase_ + kPi * 0.07f));
  body_.turn = -4.5f * kDeg * amount * wave(-0.03f);
  body_.list = 3.5f * kDeg * amount * wave(0.15f);
  body_.lean = 2 * kDeg * amount;
  for (size_t side = 0; side < 2; ++side) {
    // An arm is behind while the foot on its side lands.
    const float forward = (side == 0 ? -1.0f : 1.0f) * wave(0);
    body_.arm[side] = (17 * forward - 2) * kDeg * amount;
    body_.elbow[side] = (7 + 8 * forward) * kDeg * amount;
  }
}

void Gait::Advance(float dt_s, const std::array<WantedFoot, 2>& wanted, float stand_m,
                   std::array<FootPlace, 2>& shown) {
  const int count = Substeps(dt_s);
  const float h = dt_s / static_cast<float>(count);
  for (int k = 1; k <= count; ++k) {
    const auto now = WantedAt(wanted, static_cast<float>(k) / static_cast<float>(count));
    body_.heading = HeadingOf(now);
    Pace(h);
    if (walks_) {
      StepFeet(h, now);
      Roll(h);
      for (size_t side = 0; side < 2; ++side) shown[side] = Rolled(side, feet_[side].pitch);
    }
    MoveBody(h, stand_m);
  }
  if (!walks_) body_.toe_flex = {};
}

}  // namespace posewire::graph
