#include "libs/graph/turn_to_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/graph/small_math.h"
#include "libs/skel/model_place.h"

namespace posewire::graph {
namespace {

using skel::kDeg;
using skel::kPi;
using skel::Quat;
using skel::Vec3;

// Stiffness of the turn (1/s), and maximum acceleration.
constexpr float kStiff = 5, kMostPush = 600 * kDeg;
// The other side is chosen this far past the back.
constexpr float kPastBack = 20 * kDeg;

}  // namespace

TurnToNode::TurnToNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
                       TurnToSettings settings)
    : PassNode(std::move(below)), parts_(std::move(parts)), settings_(std::move(settings)) {}

void TurnToNode::Update(const TickContext& ctx, float weight) {
  settings_.weight.Step(ctx);
  settings_.target.weight.Step(ctx);
  PassNode::Update(ctx, weight);
}

void TurnToNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const TurnToNode*>(&old);
  if (other != nullptr) angle_ = other->angle_, speed_ = other->speed_;
}

float TurnToNode::Goal(Vec3 way) const {
  // A target at the avatar's feet has no direction.
  if (std::hypot(way.x, way.z) < 0.05f) return angle_;
  const float limit = static_cast<float>(settings_.limit_deg) * kDeg;
  const float heading = std::atan2(way.x, way.z);
  float goal = angle_ + Wrapped(heading - angle_);
  if (limit < kPi) {
    // Continues past the back on the side to which it is turned, for a while.
    if (std::fabs(goal) > kPi + kPastBack) goal = heading;
    return std::clamp(goal, -limit, limit);
  }
  return goal;
}

void TurnToNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  const double weight =
      std::clamp(settings_.weight.value() * settings_.target.weight.value(), 0.0, 1.0);
  const bool resting = angle_ == 0 && speed_ == 0;
  if (!(weight > 0) && resting) return;
  const skel::Rig& rig = *parts_->rig;
  const auto seen = Locate(settings_.target, ctx, rig, out);
  if (!seen && resting) return;
  const Vec3 pivot = parts_->BetweenFeet(out);
  const float goal = seen ? static_cast<float>(weight) * Goal(*seen - pivot) : 0;

  const auto dt_s = static_cast<float>(std::clamp(ctx.dt_s, 0.0, 0.5));
  const int steps = std::clamp(static_cast<int>(std::ceil(dt_s * 120)), 1, 60);
  const float dt = dt_s / static_cast<float>(steps);
  const float most = static_cast<float>(settings_.speed_deg_s) * kDeg;
  for (int k = 0; k < steps; ++k) {
    const float push = (goal - angle_) * (kStiff * kStiff) - speed_ * (2 * kStiff);
    speed_ = std::clamp(speed_ + std::clamp(push, -kMostPush, kMostPush) * dt, -most, most);
    angle_ += speed_ * dt;
  }
  if (goal == 0 && std::fabs(angle_) < 1e-4f && std::fabs(speed_) < 1e-3f) {
    angle_ = speed_ = 0;
    return;
  }
  parts_->Carry(pivot, skel::FromAxisAngle({0, 1, 0}, angle_), {}, out);
  // More than one full turn is equivalent to less.
  angle_ = std::fabs(angle_) > 2 * kPi ? Wrapped(angle_) : angle_;
}

}  // namespace posewire::graph
