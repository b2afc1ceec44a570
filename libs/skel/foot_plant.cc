#include "libs/skel/foot_plant.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libs/skel/humanoid.h"
#include "libs/skel/model_place.h"
#include "libs/skel/two_bone_ik_job.h"

namespace posewire::skel {
namespace {

// Heights as fractions of the leg: below the first a foot stands, above the second it swings.
constexpr float kStands = 0.04f, kSwings = 0.12f;
// As a fraction of the leg: with the heel this much higher than the ball, it stands on the ball.
constexpr float kOnBall = 0.05f;
// On its ball, a foot of another length requires another position of the hips than a flat foot.
constexpr float kVoteOnBall = 0.1f;
// As a fraction of the leg: a foot this close to its place stays there. A nearly straight leg bends
// by ten degrees for a centimetre, which is more visible.
constexpr float kNear = 0.01f;
// Largest rotation of a tipping foot, radians.
constexpr float kMostTip = 0.4f;
constexpr float kLeastScale = 1e-3f, kLeastLeg_m = 0.05f;
constexpr float kLeastWay_m = 1e-5f;

// Returns the part of a length beyond `near`, as a fraction of the length.
float Beyond(float near, float length) { return length > near ? 1 - near / length : 0; }

// Returns the rotation's component about Y.
Quat Heading(Quat q) {
  const float length = std::hypot(q.w, q.y);
  return length < 1e-4f ? Quat{} : Quat{q.w / length, 0, q.y / length, 0};
}

// Returns the map's result for a pose; undetermined joints are at rest.
Pose Mapped(const RigMap& map, const PoseView& in) {
  Pose out(map.to()->joints(), map.to()->shapes()), whole(map.to()->joints(), map.to()->shapes());
  map.Apply(in, out.span());
  whole.span().CopyFrom(map.to()->rest());
  for (int j = 0; j < map.to()->joints(); ++j) {
    if (out.view().has_r[j]) whole.span().SetRotation(j, out.view().rotation(j));
    if (out.view().has_t[j]) whole.span().SetTranslation(j, out.view().translation(j));
  }
  return whole;
}

}  // namespace

FootPlant::FootPlant(const RigMap& map) : from_(map.from()), to_(map.to()) {
  const int hips_from = from_->humanoid().joint(HumanBone::kHips);
  hips_ = to_->humanoid().joint(HumanBone::kHips);
  if (hips_from < 0 || hips_ < 0) return;
  // Measures the map's scale: how far the hips of `to` rise when those of `from` rise by 1.
  const Pose low = Mapped(map, from_->rest());
  Pose raised(from_->joints(), from_->shapes());
  raised.span().CopyFrom(from_->rest());
  const Quat above = TurnOf(*from_, from_->rest(), from_->topology().parent(hips_from));
  raised.span().SetTranslation(
      hips_from, from_->rest().translation(hips_from) + Rotate(Conjugate(above), {0, 1, 0}));
  const Pose high = Mapped(map, raised.view());
  scale_ = PlaceOf(*to_, high.view(), hips_).at.y - PlaceOf(*to_, low.view(), hips_).at.y;
  if (!(scale_ > kLeastScale)) return;

  for (const LegBones& bones : kLegs) {
    Leg leg;
    const auto here = [&](HumanBone bone) { return to_->humanoid().joint(bone); };
    const auto there = [&](HumanBone bone) { return from_->humanoid().joint(bone); };
    leg.upper = here(bones.upper), leg.lower = here(bones.lower), leg.foot = here(bones.foot);
    leg.from_foot = there(bones.foot);
    const int upper = there(bones.upper);
    if (leg.from_foot < 0 || upper < 0 || leg.upper < 0 || leg.lower < 0 || leg.foot < 0 ||
        leg.upper == leg.lower || leg.lower == leg.foot || !IsAbove(*to_, leg.upper, leg.lower) ||
        !IsAbove(*to_, leg.lower, leg.foot)) {
      continue;
    }
    const Placement foot = PlaceOf(*from_, from_->rest(), leg.from_foot);
    leg_m_ = Length(PlaceOf(*from_, from_->rest(), upper).at - foot.at);
    if (!(leg_m_ > kLeastLeg_m)) continue;
    leg.hinge = HingeOf(*to_, leg.upper, leg.lower, leg.foot);
    leg.turn_back = Conjugate(foot.turn);
    leg.ankle_from = foot.at;
    const Vec3 ankle = PlaceOf(*to_, low.view(), leg.foot).at;
    leg.ankle_shift = ankle - foot.at * scale_;
    const int toes = here(bones.toes);
    if (toes >= 0 && IsAbove(*to_, leg.foot, toes) && there(bones.toes) >= 0) {
      leg.from_toes = there(bones.toes), leg.toes = toes;
      leg.ball_from = PlaceOf(*from_, from_->rest(), leg.from_toes).at;
      const Vec3 ball = PlaceOf(*to_, low.view(), toes).at;
      leg.ball_shift = ball - leg.ball_from * scale_;
      leg.ball_from_ankle = ball - ankle;
    }
    leg_[static_cast<size_t>(legs_++)] = leg;
  }
}

FootPlant::Goal FootPlant::GoalOf(const Leg& leg, const PoseView& in) const {
  const Placement foot = PlaceOf(*from_, in, leg.from_foot);
  const Quat turn = Normalized(Mul(foot.turn, leg.turn_back));
  const Quat heading = Heading(turn);
  Goal goal;
  goal.ankle = foot.at * scale_ + Rotate(heading, leg.ankle_shift);
  float vote = 1;
  float height_m = foot.at.y - leg.ankle_from.y;
  if (leg.from_toes >= 0) {
    const Vec3 ball = PlaceOf(*from_, in, leg.from_toes).at;
    const float ball_height_m = ball.y - leg.ball_from.y;
    const Vec3 on_ball =
        ball * scale_ + Rotate(heading, leg.ball_shift) - Rotate(turn, leg.ball_from_ankle);
    const float heel_m = height_m - ball_height_m;
    const float rolls = Smoothstep(heel_m / (kOnBall * leg_m_));
    goal.ankle = goal.ankle + (on_ball - goal.ankle) * rolls;
    goal.rolls = rolls;
    vote = 1 - (1 - kVoteOnBall) * rolls;
    height_m = std::min(height_m, ball_height_m);
  }
  goal.stands = 1 - Smoothstep((height_m / leg_m_ - kStands) / (kSwings - kStands));
  goal.vote = goal.stands * vote;
  return goal;
}

void FootPlant::TipFoot(const Leg& leg, float lift_m, const PoseSpan& out) const {
  if (leg.toes < 0 || lift_m == 0) return;
  const Placement foot = PlaceOf(*to_, out, leg.foot), toes = PlaceOf(*to_, out, leg.toes);
  const Vec3 ball = toes.at - foot.at;
  const Vec3 across = Cross(ball, {0, 1, 0});
  const float flat_m = Length(across), length_m = Length(ball);
  if (!(flat_m > kLeastWay_m)) return;
  const float to = std::asin(std::clamp((ball.y + lift_m) / length_m, -1.0f, 1.0f));
  const float tip = std::clamp(to - std::asin(ball.y / length_m), -kMostTip, kMostTip);
  const Vec3 axis = across * (std::sin(tip / 2) / flat_m);
  const Quat turned = Mul({std::cos(tip / 2), axis.x, axis.y, axis.z}, foot.turn);
  const Quat above = TurnOf(*to_, out, to_->topology().parent(leg.foot));
  out.SetRotation(leg.foot, Normalized(Mul(Conjugate(above), turned)));
  if (!out.has_r[leg.toes]) return;
  // Toes keep their rotation in model space.
  const Quat below = TurnOf(*to_, out, to_->topology().parent(leg.toes));
  out.SetRotation(leg.toes, Normalized(Mul(Conjugate(below), toes.turn)));
}

void FootPlant::Apply(const PoseView& in, const PoseSpan& out) const {
  if (in.joints != from_->joints() || out.joints != to_->joints()) return;
  if (!out.has_t[hips_]) return;
  std::array<Goal, kMostLegs> goals;
  Vec3 move;
  float votes = 0;
  for (int i = 0; i < legs_; ++i) {
    const Leg& leg = leg_[static_cast<size_t>(i)];
    if (!out.has_r[leg.upper] || !out.has_r[leg.lower] || !out.has_r[leg.foot]) continue;
    Goal& goal = goals[static_cast<size_t>(i)];
    goal = GoalOf(leg, in);
    move = move + (goal.ankle - PlaceOf(*to_, out, leg.foot).at) * goal.vote;
    votes += goal.vote;
  }
  if (!(votes > 0)) return;
  // The hips cover the remaining distance, so that the legs keep their directions.
  const Quat above = TurnOf(*to_, out, to_->topology().parent(hips_));
  out.SetTranslation(hips_,
                     PoseView(out).translation(hips_) +
                         Rotate(Conjugate(above), move * (1 / std::max(votes, kVoteOnBall))));
  const float near_m = kNear * leg_m_ * scale_;
  for (int i = 0; i < legs_; ++i) {
    const Leg& leg = leg_[static_cast<size_t>(i)];
    const Goal& goal = goals[static_cast<size_t>(i)];
    if (!(goal.stands > 0)) continue;
    const Vec3 is = PlaceOf(*to_, out, leg.foot).at;
    Vec3 way = (goal.ankle - is) * goal.stands;
    // A foot of another length cannot stay on its ball while the leg keeps its directions. It tips,
    // so that it is on the ground, and may slide, because it is about to leave the ground.
    const float lift_m = way.y * goal.rolls;
    way = way * (1 - goal.rolls);
    way = way * Beyond(near_m, Length(way));
    TipFoot(leg, lift_m, out);
    if (!(Length(way) > kLeastWay_m)) continue;
    TwoBoneIkJob job;
    job.rig = to_.get();
    job.start = leg.upper, job.middle = leg.lower, job.end = leg.foot;
    job.hinge = leg.hinge;
    job.target = is + way;
    job.soft = 0.001f;
    job.keep_end = true;
    job.pose = out;
    job.Run();
  }
}

}  // namespace posewire::skel
