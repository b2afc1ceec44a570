#include "libs/graph/feet_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/graph/gait_body.h"
#include "libs/graph/small_math.h"
#include "libs/skel/two_bone_ik_job.h"

namespace posewire::graph {
namespace {

using skel::Placement;
using skel::Quat;
using skel::Vec3;

constexpr float kLetGo_s = 0.25f;
// A foot whose target is farther away is released: with steps, and without.
constexpr float kLetGo_m = 0.6f, kLetGoPushed_m = 0.15f;
// A held foot is released at this factor of the limits at which it is held.
constexpr float kMore = 1.5f;
// Largest fraction of a leg's length to which it is stretched, if the animation itself does not
// exceed it.
constexpr float kStretch = 0.9995f;
// Invisible differences.
constexpr float kSame_m = 2e-4f, kSame_rad = 1e-3f;
// Fractions of the height: from the ankle back to the heel, from the toe joint to the tips, and
// from the ankle to the tips if the rig has no toes.
constexpr float kHeel = 0.035f, kToes = 0.035f, kFront = 0.11f;

Vec3 Seen(const Placement& from, Vec3 at) { return Rotate(Conjugate(from.turn), at - from.at); }

bool SameTurn(Quat a, Quat b) {
  const Quat d = Mul(Conjugate(a), b);
  return d.x * d.x + d.y * d.y + d.z * d.z < 0.25f * kSame_rad * kSame_rad;
}

}  // namespace

FeetNode::FeetNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
                   FeetSettings settings)
    : PassNode(std::move(below)), parts_(std::move(parts)), settings_(settings) {
  const auto at = [&](int j) { return parts_->rest_at[static_cast<size_t>(j)]; };
  std::array<FootShape, 2> shape;
  for (size_t side = 0; side < 2; ++side) {
    const BodyParts::Limb& leg = parts_->legs[side];
    leg_m_[side] = Length(at(leg.middle) - at(leg.start)) + Length(at(leg.end) - at(leg.middle));
    const int toe = parts_->toes[side];
    const float front =
        toe >= 0 ? at(toe).z - at(leg.end).z + kToes * parts_->height_m : kFront * parts_->height_m;
    // Without toes that bend, it rolls over their tips.
    const float ball = toe >= 0 ? at(toe).z - at(leg.end).z : front;
    shape[side] = {std::max(front, 0.0f), kHeel * parts_->height_m, std::max(ball, 0.0f),
                   at(leg.end).y};
  }
  stepper_ = Stepper(shape);
  gait_ = Gait(shape, leg_m_[0]);
}

void FeetNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const FeetNode*>(&old);
  if (other == nullptr) return;
  feet_ = other->feet_, wanted_ = other->wanted_, shown_ = other->shown_;
  stepper_ = other->stepper_, gait_ = other->gait_;
}

bool FeetNode::Pushed(const TickContext& ctx) const {
  if (ctx.inputs == nullptr) return false;
  for (const ProviderInput& input : ctx.inputs->providers) {
    if (input.suspended || input.pose.joints == 0) continue;
    const auto& besides = settings_.besides;
    if (std::find(besides.begin(), besides.end(), input.source_service_id) != besides.end())
      continue;
    const auto moved = [&](int j) { return input.pose.has_r[j] || input.pose.has_t[j]; };
    if (moved(parts_->root) || moved(parts_->top)) return true;
    for (const BodyParts::Limb& leg : parts_->legs) {
      if (moved(leg.start) || moved(leg.middle) || moved(leg.end)) return true;
    }
  }
  return false;
}

bool FeetNode::InPlace(const std::array<Placement, 2>& ankles) const {
  for (size_t side = 0; side < 2; ++side) {
    if (!feet_[side].held || Length(ankles[side].at - shown_[side].at) > kSame_m ||
        !SameTurn(ankles[side].turn, shown_[side].turn())) {
      return false;
    }
  }
  return true;
}

// Returns how far the toes point further down from the ankle than at rest.
float FeetNode::DipOf(size_t side, Vec3 ankle, const skel::PoseView& pose) const {
  const int toe = parts_->toes[side];
  if (toe < 0) return 0;
  const auto rest = [&](int j) { return parts_->rest_at[static_cast<size_t>(j)].y; };
  const float rest_down = rest(parts_->legs[side].end) - rest(toe);
  return std::max(ankle.y - PlaceOf(*parts_->rig, pose, toe).at.y - rest_down, 0.0f);
}

// Determines the animation's target for a foot, and whether the foot is held there.
void FeetNode::Track(size_t side, float dt_s, bool pushed, const Placement& ankle, Vec3 above,
                     const Placement& top) {
  Foot& foot = feet_[side];
  const size_t joint = static_cast<size_t>(parts_->legs[side].end);
  const float floor = parts_->rest_at[joint].y;
  const Vec3 from_top = Seen(top, above);
  float speed = 1e9f;
  if (foot.known && dt_s > 0) {
    speed = Length(above - foot.animated) / dt_s;
    // A foot carried along by the body does not walk.
    if (!pushed) speed = std::min(speed, Length(from_top - foot.from_top) / dt_s);
  }
  foot.animated = above, foot.from_top = from_top;
  WantedFoot& wanted = wanted_[side];
  wanted.before = wanted.now;
  wanted.now = FootPlaceOf(above, ankle.turn, parts_->rest_turn[joint]);
  if (!foot.known) wanted.before = wanted.now, shown_[side] = wanted.now;
  const float per_s = dt_s > 0 ? 1 / dt_s : 0;
  wanted.speed_m_s = (wanted.now.at - wanted.before.at) * per_s;
  wanted.turning_rad_s = Wrapped(wanted.now.heading - wanted.before.heading) * per_s;

  const bool steps = stepper_.stepping() == static_cast<int>(side);
  const bool stands = foot.held || steps;
  const float more = stands ? kMore : 1;
  const bool low = speed < more * static_cast<float>(settings_.speed_m_s) &&
                   above.y - floor < more * static_cast<float>(settings_.height_m);
  const Vec3 gone = above - shown_[side].at;
  const float far = pushed ? kLetGoPushed_m : kLetGo_m;
  const bool near = !stands || gait_.walks() || std::hypot(gone.x, gone.z) < far;
  const bool hold =
      foot.known && low && near && (!pushed || settings_.pushed) && !(pushed && steps);
  if (stands && !hold) {
    if (steps) stepper_.Drop();
    gait_.Drop();
    foot.let_go_s = 0;
    foot.off = shown_[side].at - above;
    foot.off_turn = Mul(shown_[side].turn(), Conjugate(ankle.turn));
  }
  foot.held = hold && !steps;
  foot.known = true;
}

// Returns the longer leg's length in the animation, in metres.
float FeetNode::LongerLeg(const skel::PoseView& pose) const {
  float longest = 0;
  for (const BodyParts::Limb& leg : parts_->legs) {
    const Vec3 hip = PlaceOf(*parts_->rig, pose, leg.start).at;
    longest = std::max(longest, Length(PlaceOf(*parts_->rig, pose, leg.end).at - hip));
  }
  return longest;
}

// Standing feet step to their targets, or walk there.
void FeetNode::Step(float dt_s, bool pushed, const skel::PoseView& pose) {
  const int stepped = stepper_.stepping();
  const bool stand = (feet_[0].held || stepped == 0) && (feet_[1].held || stepped == 1);
  gait_.Observe(dt_s, wanted_);
  if (!gait_.walks() && stand && gait_.wanted()) {
    gait_.Begin(wanted_, shown_, stepped, stepped < 0 ? Vec3{} : stepping_m_s_);
    stepper_.Drop();
  }
  const std::array<FootPlace, 2> before = shown_;
  if (!gait_.idle()) gait_.Advance(dt_s, wanted_, LongerLeg(pose), shown_);
  const bool steps = !gait_.walks() && !pushed;
  stepper_.Advance(dt_s, wanted_, {steps && feet_[0].held, steps && feet_[1].held}, shown_);
  const int side = stepper_.stepping();
  if (side >= 0 && dt_s > 0) {
    const auto i = static_cast<size_t>(side);
    stepping_m_s_ = (shown_[i].at - before[i].at) * (1 / dt_s);
  }
  for (int k = 0; k < 2; ++k) {
    bool& held = feet_[static_cast<size_t>(k)].held;
    held = k != side && (held || k == stepped);
  }
}

// A held foot moves down to the ground; a released one to its animation.
void FeetNode::Blend(size_t side, float dt_s, const Placement& ankle, Vec3 above, float dip) {
  Foot& foot = feet_[side];
  const size_t joint = static_cast<size_t>(parts_->legs[side].end);
  const float floor = parts_->rest_at[joint].y;
  FootPlace& shown = shown_[side];
  if (gait_.walks()) return;
  if (foot.held) {
    const float most = static_cast<float>(settings_.speed_m_s) * dt_s;
    shown.at.y = std::max(shown.at.y - most, floor + foot.dip);
    return;
  }
  foot.dip = dip;
  if (stepper_.stepping() == static_cast<int>(side)) return;
  foot.let_go_s += dt_s;
  const float left = 1 - Smoothstep(foot.let_go_s / kLetGo_s);
  const Quat turn = left > 0 ? Mul(skel::Exp(Log(foot.off_turn) * left), ankle.turn) : ankle.turn;
  Vec3 at = above + foot.off * left;
  at.y = std::max(at.y, std::min(above.y, floor));
  shown = FootPlaceOf(at, turn, parts_->rest_turn[joint]);
}

void FeetNode::RaiseHeels(float dt_s, const skel::PoseView& pose) {
  for (size_t side = 0; side < 2; ++side) {
    const Vec3 hip = PlaceOf(*parts_->rig, pose, parts_->legs[side].start).at;
    gait_.RaiseHeel(dt_s, side, hip, shown_[side]);
  }
}

void FeetNode::SinkHips(const skel::PoseSpan& out) const {
  const skel::Rig& rig = *parts_->rig;
  float sink = 0;
  for (size_t side = 0; side < 2; ++side) {
    const BodyParts::Limb& leg = parts_->legs[side];
    const Vec3 hip = PlaceOf(rig, out, leg.start).at, ankle = PlaceOf(rig, out, leg.end).at;
    const float most = std::max(kStretch * leg_m_[side], Length(ankle - hip));
    const Vec3 to = shown_[side].at;
    if (Length(to - hip) <= most) continue;
    const float across = std::hypot(to.x - hip.x, to.z - hip.z);
    const float up = std::sqrt(std::max(most * most - across * across, 0.0f));
    sink = std::max(sink, hip.y - (to.y + up));
  }
  if (sink > 0) MoveInModel(rig, parts_->root, {0, -sink, 0}, out);
}

void FeetNode::PlaceFoot(size_t side, const skel::PoseSpan& out) const {
  const skel::Rig& rig = *parts_->rig;
  const BodyParts::Limb& leg = parts_->legs[side];
  const FootPlace& foot = shown_[side];
  const Quat turn = foot.turn();
  const Placement now = PlaceOf(rig, out, leg.end);
  const bool moved = Length(now.at - foot.at) > 1e-6f;
  if (!moved && AngleBetween(now.turn, turn) < 1e-5f) return;
  if (moved) {
    skel::TwoBoneIkJob job;
    job.rig = &rig;
    job.start = leg.start, job.middle = leg.middle, job.end = leg.end;
    job.hinge = leg.hinge;
    job.target = foot.at;
    job.soft = 0;
    job.pose = out;
    job.Run();
  }
  // A knee points between the directions of the body and of its foot.
  const float twist = 0.5f * Wrapped(foot.heading - wanted_[side].now.heading);
  const Vec3 leg_up = PlaceOf(rig, out, leg.start).at - PlaceOf(rig, out, leg.end).at;
  if (std::fabs(twist) > 1e-5f && Length(leg_up) > 1e-3f) {
    TurnInModel(rig, leg.start, skel::FromAxisAngle(Normalized(leg_up), twist), out);
  }
  const Quat above = TurnOf(rig, out, rig.topology().parent(leg.end));
  out.SetRotation(leg.end, Normalized(Mul(Conjugate(above), turn)));
  const float flex = gait_.idle() ? 0 : gait_.body().toe_flex[side];
  if (parts_->toes[side] >= 0 && flex > 0) {
    const Vec3 left = Rotate(skel::FromAxisAngle({0, 1, 0}, foot.heading), {1, 0, 0});
    TurnInModel(rig, parts_->toes[side], skel::FromAxisAngle(left, -flex), out);
  }
}

void FeetNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  const skel::Rig& rig = *parts_->rig;
  const auto dt_s = static_cast<float>(std::clamp(ctx.dt_s, 0.0, 1.0));
  const bool pushed = Pushed(ctx), untouched = pushed && !settings_.pushed;
  const Placement top = PlaceOf(rig, out, parts_->top);
  const std::array<Placement, 2> ankles{PlaceOf(rig, out, parts_->legs[0].end),
                                        PlaceOf(rig, out, parts_->legs[1].end)};
  if (!pushed && stepper_.idle() && gait_.idle() && InPlace(ankles)) {
    for (size_t side = 0; side < 2; ++side) {
      wanted_[side] = {shown_[side], shown_[side], {}, 0};
      feet_[side].animated = ankles[side].at;
      feet_[side].from_top = Seen(top, ankles[side].at);
    }
    gait_.Observe(dt_s, wanted_);
    return;
  }
  std::array<Vec3, 2> above;
  std::array<float, 2> dip{};
  for (size_t side = 0; side < 2; ++side) {
    above[side] = ankles[side].at;
    if (!untouched) {
      // Raise it until neither ankle nor toes are below the ground.
      const float floor = parts_->rest_at[static_cast<size_t>(parts_->legs[side].end)].y;
      dip[side] = DipOf(side, above[side], out);
      above[side].y = std::max(above[side].y, floor + dip[side]);
    }
    Track(side, dt_s, pushed, ankles[side], above[side], top);
  }
  Step(dt_s, pushed, out);
  for (size_t side = 0; side < 2; ++side) Blend(side, dt_s, ankles[side], above[side], dip[side]);
  const auto follows = [](const Foot& f) { return !f.held && f.let_go_s >= kLetGo_s; };
  const bool free = follows(feet_[0]) && follows(feet_[1]);
  if (untouched && stepper_.idle() && gait_.idle() && free) return;
  if (!gait_.idle()) PoseGaitBody(*parts_, gait_.body(), out);
  if (const Vec3 hips = stepper_.hips(); Length(hips) > 0) {
    MoveInModel(rig, parts_->root, hips, out);
  }
  if (gait_.walks()) RaiseHeels(dt_s, out);
  SinkHips(out);
  for (size_t side = 0; side < 2; ++side) PlaceFoot(side, out);
}

}  // namespace posewire::graph
