#include "libs/graph/hand_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/graph/limb_reach.h"
#include "libs/graph/small_math.h"
#include "libs/skel/chain_ik_job.h"
#include "libs/skel/limit_job.h"

namespace posewire::graph {
namespace {

using skel::kDeg;
using skel::Placement;
using skel::Quat;
using skel::Vec3;

// A trunk bends forwards rather than to the side: sideways only by this fraction of an object's
// offset.
constexpr float kSideLean = 0.35f;
// Fraction of the arm's length from which the trunk leans, and how far its top may move, as a
// fraction of its length.
constexpr float kFromArm = 0.96f, kMostLean = 0.75f, kSoft_m = 0.02f;
constexpr int kLeans = 3;
// Fingers of a hand close to the body point inward, those of one far away point ahead: angles, at
// fractions of the arm's length.
constexpr float kInNear = 70 * kDeg, kInFar = 22 * kDeg, kNear = 0.45f, kFar = 0.9f;
// With a larger error the hand has not reached its goal.
constexpr float kMissed_m = 0.03f;
// A goal that moves by more than this between ticks begins a new path.
constexpr float kJump_m = 0.15f;
// The forearm's fraction of a hand's twist.
constexpr float kForearm = 0.8f;
// Closing of a hand that is about to take an object, and of one that holds it.
constexpr double kReady = 0.35, kHolds = 1;

// Returns the angle of `q` about the unit axis.
float TwistAbout(Quat q, Vec3 axis) {
  return Wrapped(2 * std::atan2(Dot(Vec3{q.x, q.y, q.z}, axis), q.w));
}

Quat TurnTo(Vec3 from, Vec3 to) {
  return skel::BetweenDirections(Normalized(from), Normalized(to));
}

// Returns a rotation with Y up, and Z ahead as nearly as possible.
Quat Facing(Vec3 up, Vec3 ahead) {
  const Quat lifted = TurnTo({0, 1, 0}, up);
  const Vec3 flat = ahead - up * Dot(ahead, up);
  if (Length(flat) < 1e-4f) return lifted;
  const Vec3 z = Rotate(lifted, {0, 0, 1});
  const float angle = std::atan2(Dot(Cross(z, flat), up), Dot(z, flat));
  return Normalized(Mul(skel::FromAxisAngle(up, angle), lifted));
}

}  // namespace

HandNode::HandNode(std::string name, std::shared_ptr<const BodyParts> parts,
                   std::unique_ptr<Node> below, HandSettings settings)
    : PassNode(std::move(below)),
      name_(std::move(name)),
      parts_(std::move(parts)),
      settings_(std::move(settings)),
      grip_(skel::GripOf(*parts_->rig, settings_.side)),
      arm_(parts_->arms[static_cast<size_t>(settings_.side)]) {
  const auto at = [&](int j) { return parts_->rest_at[static_cast<size_t>(j)]; };
  arm_m_ = Length(at(arm_.middle) - at(arm_.start)) + Length(at(grip_.wrist) - at(arm_.middle));
  trunk_top_ = parts_->neck.empty() ? parts_->head : parts_->neck.front();
  int count = 0;
  for (int j = trunk_top_; j >= 0 && !parts_->spine.empty() && trunk_joints_ == 0;
       j = parts_->rig->topology().parent(j), ++count) {
    if (j == parts_->spine.front()) trunk_joints_ = std::min(count, skel::ChainIkJob::kMostChain);
  }
}

void HandNode::Update(const TickContext& ctx, float weight) { PassNode::Update(ctx, weight); }

void HandNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const HandNode*>(&old);
  if (other == nullptr || other->grip_.wrist != grip_.wrist) return;
  way_ = other->way_;
  elbow_ = other->elbow_, elbow_from_ = other->elbow_from_;
  closed_ = other->closed_;
  last_goal_ = other->last_goal_;
  told_ = other->told_;
  goal_ = SameGoal(other->settings_.goals, other->goal_, settings_.goals);
}

Quat HandNode::NaturalTurn(Vec3 at, Vec3 up, const skel::PoseView& pose) const {
  const Vec3 way = at - PlaceOf(*parts_->rig, pose, arm_.start).at;
  const float far = std::clamp((Length(way) / arm_m_ - kNear) / (kFar - kNear), 0.0f, 1.0f);
  const float inward = kInNear + (kInFar - kInNear) * far;
  Vec3 ahead = way - up * Dot(way, up);
  if (Length(ahead) < 0.02f) ahead = {0, 0, 1};
  const Quat in = skel::FromAxisAngle(up, settings_.side == 0 ? -inward : inward);
  return Facing(up, Rotate(in, Normalized(ahead)));
}

std::optional<Placement> HandNode::PlaceOfGoal(const TickContext& ctx,
                                               const HandSettings::Goal& goal,
                                               const skel::PoseView& pose) const {
  const auto at = Locate(goal.target, ctx, *parts_->rig, pose);
  if (!at) return std::nullopt;
  if (!goal.carry.empty()) {
    const Vec3 up = Rotate(skel::FromAxisAngle({1, 0, 0}, -goal.tip_rad), {0, 1, 0});
    const Quat turn = NaturalTurn(*at, {0, 1, 0}, pose);
    for (const PropInput& prop : ctx.inputs->props) {
      if (prop.hand != settings_.side) continue;
      const PropSiteInput* const site = FindSite(prop, goal.carry);
      if (site == nullptr) continue;
      const Quat upright =
          Normalized(Mul(TurnTo(Rotate(turn, Rotate(site->in_hand.turn, {0, 1, 0})), up), turn));
      return Placement{*at - Rotate(upright, site->in_hand.at), upright};
    }
    return std::nullopt;
  }
  if (goal.target.kind == Target::Kind::kProp) {
    const PropInput* const prop = FindProp(*ctx.inputs, goal.target.who);
    // A hand keeps an object that it has taken at the same place.
    if (prop->hand == settings_.side) {
      return way_.begun() ? std::optional(last_goal_) : std::nullopt;
    }
    const PropSiteInput* const site = FindSite(*prop, goal.target.part);
    if (site != nullptr && !site->any_side) return site->place;
    const Quat stands = site != nullptr ? site->place.turn : prop->place.turn;
    return Placement{*at, NaturalTurn(*at, Rotate(stands, {0, 1, 0}), pose)};
  }
  return Placement{*at, NaturalTurn(*at, {0, 1, 0}, pose)};
}

// Decides where the hand moves on, if its goal has changed.
void HandNode::Choose(const TickContext& ctx, const Placement& animated,
                      const std::optional<Placement>& goal) {
  const int wanted = goal ? settings_.choice.Wanted(ctx, settings_.goals) : -1;
  if (wanted == goal_) {
    waited_s_ = 0;
    if (goal && Length(goal->at - last_goal_.at) > kJump_m) {
      way_.Begin(animated, *goal,
                 ReachTime(Length(goal->at - way_.shown().at), 0) / settings_.pace);
      told_ = false;
    }
    return;
  }
  waited_s_ += ctx.dt_s;
  if (wanted >= 0 && waited_s_ <= settings_.eyes_lead_s) return;
  waited_s_ = 0;
  goal_ = wanted;
  told_ = wanted < 0;
  elbow_from_ = elbow_;
  if (wanted < 0 && !way_.begun()) return;
  const Placement to = goal ? *goal : animated;
  const Placement& from = way_.begun() ? way_.shown() : animated;
  way_.Begin(animated, to,
             ReachTime(Length(to.at - from.at), AngleBetween(to.turn, from.turn)) / settings_.pace);
}

void HandNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  const skel::Rig& rig = *parts_->rig;
  const int wanted = settings_.choice.Wanted(ctx, settings_.goals);
  const bool holds = std::any_of(ctx.inputs->props.begin(), ctx.inputs->props.end(),
                                 [&](const PropInput& p) { return p.hand == settings_.side; });
  if (wanted >= 0 || goal_ >= 0 || way_.begun()) {
    const Placement animated = PlaceOfGrip(rig, out, grip_);
    std::optional<Placement> goal;
    if (wanted >= 0) {
      goal = PlaceOfGoal(ctx, settings_.goals[static_cast<size_t>(wanted)], out);
    }
    Choose(ctx, animated, goal);
    // While the eyes move first, the hand continues what it was doing.
    std::optional<Placement> now = goal;
    if (goal_ != wanted && goal_ >= 0) {
      now = PlaceOfGoal(ctx, settings_.goals[static_cast<size_t>(goal_)], out);
      if (!now) now = last_goal_;
    }
    if (way_.begun()) {
      const Placement to = goal_ >= 0 && now ? *now : animated;
      if (goal_ >= 0) last_goal_ = to;
      const Placement hand = way_.Step(to, ctx.dt_s);
      elbow_ = elbow_from_ + ((goal_ >= 0 ? 1.0f : 0.0f) - elbow_from_) * way_.done();
      if (goal_ < 0 && way_.arrived()) {
        way_.Forget();
        elbow_ = 0;
      } else {
        // Each time from the shoulder's new place, because a spine bends in several places.
        const int other = parts_->arms[static_cast<size_t>(1 - settings_.side)].start;
        const Quat hangs = other < 0 ? Quat{} : TurnOf(rig, out, other);
        for (int i = 0; i < kLeans; ++i) Lean((hand * Inverse(grip_.in_wrist)).at, out);
        // The other arm keeps its direction.
        if (other >= 0) {
          TurnInModel(rig, other, Normalized(Mul(hangs, Conjugate(TurnOf(rig, out, other)))), out);
        }
        Bring(hand, 1 - elbow_, out);
        if (way_.arrived() && !told_) Tell(ctx, to, out);
      }
    }
  }
  const bool ready = goal_ >= 0 && way_.done() > 0.5f &&
                     settings_.goals[static_cast<size_t>(goal_)].target.kind == Target::Kind::kProp;
  CloseFingers(rig, grip_, closed_.Step(holds ? kHolds : ready ? kReady : 0, ctx.dt_s), out);
}

void HandNode::Tell(const TickContext& ctx, const Placement& goal, const skel::PoseView& out) {
  told_ = true;
  const bool missed = Length(PlaceOfGrip(*parts_->rig, out, grip_).at - goal.at) > kMissed_m;
  if (ctx.outputs == nullptr) return;
  ctx.outputs->Tell({missed ? GraphEvent::kPropOutOfReach : GraphEvent::kPropReached, name_,
                     settings_.goals[static_cast<size_t>(goal_)].target.name});
  if (missed) return;
  for (const int event :
       {settings_.arrived_event, settings_.goals[static_cast<size_t>(goal_)].arrived_event}) {
    if (event >= 0) ctx.outputs->fire |= uint64_t{1} << event;
  }
}

// Moves the shoulder closer by the length that the arm is too short to reach the wrist's target:
// bends the trunk towards it, moving its top on an arc about its base.
void HandNode::Lean(Vec3 to, const skel::PoseSpan& out) const {
  if (trunk_joints_ == 0) return;
  const skel::Rig& rig = *parts_->rig;
  const Vec3 shoulder = PlaceOf(rig, out, arm_.start).at;
  const float comfortable = kFromArm * arm_m_;
  if (Length(to - shoulder) <= comfortable) return;
  const Vec3 top = PlaceOf(rig, out, trunk_top_).at;
  const Vec3 foot = PlaceOf(rig, out, parts_->spine.front()).at;
  Vec3 ahead = to - top;
  ahead.y = 0, ahead.x *= kSideLean;
  if (Length(ahead) < 0.05f) return;
  ahead = Normalized(ahead);
  const float height = Length(top - foot), begun = Dot(top - foot, ahead);
  const auto moved = [&](float by) {
    const float drop = std::sqrt(std::max(height * height - (begun + by) * (begun + by), 0.0f)) -
                       std::sqrt(std::max(height * height - begun * begun, 0.0f));
    return ahead * by + Vec3{0, drop, 0};
  };
  float least = 0, most = kMostLean * height;
  for (int i = 0; i < 12; ++i) {
    const float middle = (least + most) / 2;
    (Length(to - shoulder - moved(middle)) > comfortable ? least : most) = middle;
  }
  // Begins smoothly, so that the trunk does not jerk when the hand passes the limit.
  const float lean = most * most / (most + kSoft_m);
  skel::ChainIkJob job;
  job.rig = &rig;
  job.end = trunk_top_;
  job.chain = trunk_joints_;
  job.target = top + moved(lean);
  job.most_steps = 6;
  job.pose = out;
  job.Run();
}

// `own_elbow`: 1 for the animated elbow .. 0 for low and outside.
void HandNode::Bring(const Placement& to, float own_elbow, const skel::PoseSpan& out) const {
  const skel::Rig& rig = *parts_->rig;
  const auto rotation = [&](int j) {
    return out.has_r[j] ? out.rotation(j) : rig.rest().rotation(j);
  };
  const Quat wrist = rotation(grip_.wrist);
  for (const int j : {arm_.start, arm_.middle, grip_.wrist}) out.SetRotation(j, rotation(j));
  const Vec3 shoulder = PlaceOf(rig, out, arm_.start).at;
  const float out_x = settings_.side == 0 ? 1.0f : -1.0f;
  const Vec3 natural = shoulder + Vec3{0.28f * out_x, -0.75f, -0.18f} * arm_m_;
  const Vec3 elbow = PlaceOf(rig, out, arm_.middle).at;
  // As far from the shoulder as the other one, so that distance does not change the weight.
  const Vec3 own = shoulder + Normalized(elbow - shoulder) * Length(natural - shoulder);
  const Vec3 pole = Lerp(natural, own, own_elbow);
  for (int round = 0; round < 4; ++round) {
    TurnHand(to.turn, wrist, out);
    ReachWithLimb(rig, arm_, grip_.wrist, grip_.in_wrist.at, to.at, pole, out);
  }
}

// Rotates forearm and wrist so that the grip's frame has the rotation `turn`, within their limits.
// `animated`: the wrist's own rotation, for which the forearm does not twist.
void HandNode::TurnHand(Quat turn, Quat animated, const skel::PoseSpan& out) const {
  const skel::Rig& rig = *parts_->rig;
  const int wrist = grip_.wrist, elbow = arm_.middle;
  const Quat wanted = Mul(turn, Conjugate(grip_.in_wrist.turn));
  const auto local = [&] {
    const Quat above = TurnOf(rig, out, rig.topology().parent(wrist));
    return Normalized(Mul(Conjugate(above), wanted));
  };
  // The forearm's own axis, in the elbow's space: rotating about it does not move the wrist.
  const Placement from = PlaceOf(rig, out, elbow), at = PlaceOf(rig, out, wrist);
  const Vec3 bone = Normalized(Rotate(Conjugate(from.turn), at.at - from.at));
  if (rig.topology().parent(wrist) == elbow && Length(bone) > 0.5f) {
    const float twist = TwistAbout(Mul(local(), Conjugate(animated)), bone);
    const Quat twisted = Mul(out.rotation(elbow), skel::FromAxisAngle(bone, kForearm * twist));
    out.SetRotation(elbow, LimitedRotation(rig, elbow, Normalized(twisted)));
  }
  out.SetRotation(wrist, LimitedRotation(rig, wrist, local()));
}

}  // namespace posewire::graph
