#include "libs/graph/walk_to_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/graph/small_math.h"
#include "libs/skel/model_place.h"

namespace posewire::graph {
namespace {

using skel::kDeg;
using skel::Quat;
using skel::Vec3;

// It has arrived within the first distance of the goal, and starts again if the goal is farther
// away than the second or, after it has reported its arrival, than the third.
constexpr float kThere_m = 0.015f, kAgain_m = 0.1f, kFollow_m = 0.4f;
// Nearer goals are approached without a turn, and no faster than this.
constexpr float kBeside_m = 0.7f, kBeside_m_s = 0.3f;
// Deceleration, stiffness of its speed (1/s), and maximum acceleration.
constexpr float kBrake_m_s2 = 0.8f, kSpeed_hz = 8, kMostPush_m_s2 = 0.95f;
// How much the speed lags behind the wanted speed.
constexpr float kLag_s = 2 / kSpeed_hz;
// With less than this time to go, it comes to rest smoothly.
constexpr float kSoftEnd_s = 0.2f;
// It speeds up only if its heading is within this angle of its direction.
constexpr float kAside = 35 * kDeg;
// It turns to its face target from this distance on.
constexpr float kFaces_m = 0.45f;
constexpr float kTurn_hz = 5, kMostTurn_rad_s = 110 * kDeg, kMostTurnPush = 500 * kDeg;

Vec3 Limited(Vec3 v, float most) {
  const float length = Length(v);
  return length > most ? v * (most / length) : v;
}

}  // namespace

WalkToNode::WalkToNode(std::string name, std::shared_ptr<const BodyParts> parts,
                       std::unique_ptr<Node> below, WalkToSettings settings)
    : PassNode(std::move(below)),
      name_(std::move(name)),
      parts_(std::move(parts)),
      settings_(std::move(settings)) {}

void WalkToNode::Update(const TickContext& ctx, float weight) {
  settings_.speed_m_s.Step(ctx);
  PassNode::Update(ctx, weight);
}

void WalkToNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const WalkToNode*>(&old);
  if (other == nullptr) return;
  state_ = other->state_;
  sets_ = other->sets_;
  // A reached goal is not reported again.
  state_.goal = SameGoal(other->settings_.goals, other->state_.goal, settings_.goals);
}

void WalkToNode::Choose(const TickContext& ctx) {
  const int goal = settings_.choice.Wanted(ctx, settings_.goals);
  const int variable = settings_.choice.variable;
  const uint32_t sets = variable < 0 ? 0 : ctx.variables->sets(variable);
  if (goal == state_.goal && sets == sets_) return;
  sets_ = sets;
  state_.goal = goal;
  state_.goes = state_.turns = goal >= 0;
  state_.told = goal < 0;
}

std::optional<WalkToNode::Aim> WalkToNode::FindAim(const TickContext& ctx,
                                                   const skel::PoseView& pose, Vec3 at) {
  if (state_.goal < 0) return std::nullopt;
  const auto& goal = settings_.goals[static_cast<size_t>(state_.goal)];
  const auto seen = Locate(goal.target, ctx, *parts_->rig, pose);
  if (!seen) return std::nullopt;
  Aim aim;
  const auto stop = static_cast<float>(goal.stop_m);
  const Vec3 way = Flat(*seen) - at;
  const float distance = Length(way);
  aim.place = Flat(*seen);
  if (stop > 0) {
    // The avatar does not step back from a user who has come nearer.
    aim.place = at + way * (distance > stop ? (distance - stop) / distance : 0);
    if (distance > 0.05f) aim.face = *seen;
  }
  if (settings_.face.kind != Target::Kind::kNone) {
    aim.face = Locate(settings_.face, ctx, *parts_->rig, pose);
  }
  return aim;
}

void WalkToNode::Turn(float dt_s, std::optional<float> heading) {
  State& s = state_;
  const float off = heading ? Wrapped(*heading - s.heading) : 0;
  const float push = (heading ? off * (kTurn_hz * kTurn_hz) : 0) - s.turning_rad_s * (2 * kTurn_hz);
  s.turning_rad_s =
      std::clamp(s.turning_rad_s + std::clamp(push, -kMostTurnPush, kMostTurnPush) * dt_s,
                 -kMostTurn_rad_s, kMostTurn_rad_s);
  if (std::fabs(off) < 1e-4f && std::fabs(s.turning_rad_s) < 1e-3f) s.turning_rad_s = 0;
  s.heading = Wrapped(s.heading + s.turning_rad_s * dt_s);
}

// `from`: the place of the body in the animation.
void WalkToNode::Move(float dt_s, const std::optional<Aim>& aim, Vec3 from) {
  State& s = state_;
  const Vec3 at = from + s.at;
  const Vec3 way = aim ? aim->place - at : Vec3{};
  const float distance = Length(way);
  if (aim && !s.goes && distance > (s.told ? kFollow_m : kAgain_m)) s.goes = s.turns = true;
  Vec3 wanted;
  std::optional<float> heading;
  if (aim && s.goes) {
    const Vec3 direction = Normalized(way);
    const auto most = static_cast<float>(std::max(settings_.speed_m_s.value(), 0.0));
    if (distance > kBeside_m)
      s.turns = true;
    else if (Length(s.speed_m_s) < 0.1f)
      s.turns = false;
    const float left =
        std::max(distance - std::max(Dot(s.speed_m_s, direction), 0.0f) * kLag_s, 0.0f);
    const float braked = std::min(std::sqrt(2 * kBrake_m_s2 * left), left / kSoftEnd_s);
    float speed = std::min(most, braked);
    if (s.turns) {
      const float ahead = std::atan2(way.x, way.z);
      const float aside = std::fabs(Wrapped(ahead - s.heading));
      if (distance > kFaces_m) heading = ahead;
      if (distance > kBeside_m) speed *= std::max(1 - aside / kAside, 0.0f);
    } else {
      speed = std::min(speed, kBeside_m_s);
    }
    wanted = direction * speed;
    if (distance < kThere_m && Length(s.speed_m_s) < 0.05f) s.goes = false;
  }
  if (aim && aim->face && (!s.goes || !s.turns || distance <= kFaces_m)) {
    const Vec3 to = Flat(*aim->face - at);
    if (Length(to) > 0.05f) heading = std::atan2(to.x, to.z);
  }
  Turn(dt_s, heading);
  // Its speed follows like a critically damped spring, with a smoothly changing acceleration.
  const Vec3 lacks = wanted - s.speed_m_s;
  const Vec3 jerk = lacks * (kSpeed_hz * kSpeed_hz) - s.push_m_s2 * (2 * kSpeed_hz);
  s.push_m_s2 = Limited(s.push_m_s2 + jerk * dt_s, kMostPush_m_s2);
  s.speed_m_s = s.speed_m_s + s.push_m_s2 * dt_s;
  s.at = s.at + s.speed_m_s * dt_s;
}

void WalkToNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  State& s = state_;
  Choose(ctx);
  const Vec3 from = Flat(parts_->BetweenFeet(out));
  const bool moved = Length(s.at) > 0 || s.heading != 0;
  if (s.goal < 0 && !moved && !s.goes) return;
  const auto aim = FindAim(ctx, out, from + s.at);
  const auto dt_s = static_cast<float>(std::clamp(ctx.dt_s, 0.0, 0.5));
  const int steps = std::clamp(static_cast<int>(std::ceil(dt_s * 120)), 1, 60);
  for (int k = 0; k < steps; ++k) Move(dt_s / static_cast<float>(steps), aim, from);
  const bool rests = Length(s.speed_m_s) < 0.02f && std::fabs(s.turning_rad_s) < 2 * kDeg;
  if (aim && !s.goes && !s.told && rests) {
    s.told = true;
    const auto& goal = settings_.goals[static_cast<size_t>(s.goal)];
    if (ctx.outputs != nullptr) {
      ctx.outputs->Tell({GraphEvent::kPlaceReached, name_, goal.target.name});
      if (settings_.arrived_event >= 0) {
        ctx.outputs->fire |= uint64_t{1} << settings_.arrived_event;
      }
    }
  }
  if (!aim && rests && Length(s.push_m_s2) < 0.02f) s.speed_m_s = s.push_m_s2 = {};
  parts_->Carry(from, skel::FromAxisAngle({0, 1, 0}, s.heading), s.at, out);
}

}  // namespace posewire::graph
