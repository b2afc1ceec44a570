#include "libs/graph/limits_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/skel/limit_job.h"

namespace posewire::graph {
namespace {

using skel::Quat;
using skel::Vec3;

// The largest speed of a joint that is held, in radians per second; the node below may be faster.
constexpr float kMostSpeed = 11;

}  // namespace

LimitsNode::LimitsNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below)
    : PassNode(std::move(below)), rig_(std::move(rig)) {
  shown_.resize(static_cast<size_t>(rig_->joints()));
}

void LimitsNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const LimitsNode*>(&old);
  if (other != nullptr && other->shown_.size() == shown_.size()) shown_ = other->shown_;
}

void LimitsNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  if (rig_->limits().empty()) return;
  const float most = kMostSpeed * static_cast<float>(std::clamp(ctx.dt_s, 0.0, 1.0));
  for (int j = 0; j < out.joints; ++j) {
    if (!out.has_r[j]) continue;
    Shown& shown = shown_[static_cast<size_t>(j)];
    const skel::JointLimit& limit = rig_->limits()[static_cast<size_t>(j)];
    const Quat rest = rig_->rest().rotation(j);
    const Quat turn = Mul(Conjugate(rest), out.rotation(j));
    if (!shown.held && SurelyWithin(limit, turn)) continue;
    const Vec3 raw = SwingTwist(turn);
    Vec3 angles = skel::ClampedSwingTwist(limit, turn);
    const Vec3 correction = angles - raw;
    const bool passes = Dot(correction, correction) < 1e-10f;
    if (passes && !shown.held) continue;
    // The bounds are a box, so the straight path between two rotations within them stays within.
    const Vec3 way = angles - shown.angles;
    const float length = Length(way);
    const bool late = shown.held && length > most;
    if (late) angles = shown.angles + way * (most / length);
    shown.angles = angles;
    shown.held = !passes || late;
    if (!passes || late) out.SetRotation(j, Normalized(Mul(rest, skel::FromSwingTwist(angles))));
  }
}

}  // namespace posewire::graph
