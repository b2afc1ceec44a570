#include "libs/graph/reach_node.h"

#include <utility>

#include "libs/graph/limb_reach.h"
#include "libs/skel/chain_ik_job.h"
#include "libs/skel/limit_job.h"
#include "libs/skel/model_place.h"
#include "libs/skel/two_bone_ik_job.h"

namespace posewire::graph {

using skel::Vec3;

namespace {

constexpr float kMostJointTurn_rad_s = 12;
// Maximum number of steps in the search for rotations within limits; it ends earlier when the point
// is reached.
constexpr int kMostSteps = 24;

// Returns `count` joints above `joint`, or as many as there are.
std::vector<int> Above(const skel::Rig& rig, int joint, int count) {
  std::vector<int> joints;
  for (int j = rig.topology().parent(joint); j >= 0 && count > 0; --count) {
    joints.push_back(j);
    j = rig.topology().parent(j);
  }
  return joints;
}

// Returns the joints from `middle` up to `start`, including both.
std::vector<int> JointsBetween(const skel::Rig& rig, int start, int middle) {
  std::vector<int> joints;
  for (int j = middle; j >= 0; j = rig.topology().parent(j)) {
    joints.push_back(j);
    if (j == start) break;
  }
  return joints;
}

}  // namespace

ReachNode::ReachNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
                     Target target, Number weight, std::vector<int> joints, int end, Vec3 offset)
    : PassNode(std::move(below)),
      parts_(std::move(parts)),
      target_(std::move(target)),
      wanted_(weight),
      end_(end),
      offset_(offset) {
  for (int j : joints) turned_.push_back({j, {}, {}});
}

void ReachNode::Update(const TickContext& ctx, float weight) {
  wanted_.Step(ctx);
  target_.weight.Step(ctx);
  PassNode::Update(ctx, weight);
}

void ReachNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const ReachNode*>(&old);
  if (other == nullptr || other->end_ != end_) return;
  weight_ = other->weight_, follower_ = other->follower_;
  holds_ = other->holds_, held_ = other->held_;
  active_ = other->active_;
  for (Turned& mine : turned_) {
    for (const Turned& theirs : other->turned_) {
      if (theirs.joint == mine.joint) mine.added = theirs.added;
    }
  }
}

float ReachNode::FollowTarget(const TickContext& ctx, float weight, Vec3 animated,
                              const skel::PoseView& pose) {
  if (weight == 0) {
    holds_ = false;
    follower_.Step(std::nullopt, ctx.dt_s);
    return 0;
  }
  if (target_.kind == Target::Kind::kNone) {
    // Only the weight fades in and out here.
    if (!holds_) held_ = animated;
    holds_ = true;
    return weight;
  }
  follower_.Step(Locate(target_, ctx, *parts_->rig, pose), ctx.dt_s);
  return weight * follower_.presence();
}

void ReachNode::SlowDown(double dt_s, const skel::PoseSpan& out) {
  const float most = kMostJointTurn_rad_s * static_cast<float>(std::clamp(dt_s, 0.0, 0.5));
  active_ = false;
  for (Turned& t : turned_) {
    const skel::Quat want = Mul(Conjugate(t.animated), out.rotation(t.joint));
    const Vec3 way = Log(Mul(Conjugate(t.added), want));
    const float length = Length(way);
    if (length <= most) {
      t.added = Normalized(want);
    } else {
      t.added = Normalized(Mul(t.added, skel::Exp(way * (most / length))));
      out.SetRotation(t.joint,
                      LimitedRotation(*parts_->rig, t.joint, Normalized(Mul(t.animated, t.added))));
    }
    active_ |= Length(Log(t.added)) > 1e-5f;
  }
}

void ReachNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  const float weight = weight_.Step(wanted_.value() * target_.weight.value(), ctx.dt_s);
  if (weight == 0 && !active_) {
    holds_ = false;
    return;
  }
  const skel::Rig& rig = *parts_->rig;
  const Vec3 animated = PlaceOf(rig, out, end_, offset_).at;
  const float share = FollowTarget(ctx, weight, animated, out);
  if (share == 0 && !active_) return;
  for (Turned& t : turned_) {
    t.animated = out.has_r[t.joint] ? out.rotation(t.joint) : rig.rest().rotation(t.joint);
    out.SetRotation(t.joint, t.animated);
  }
  const Vec3 to = target_.kind == Target::Kind::kNone ? held_ : follower_.at();
  if (share > 0) Reach(Lerp(animated, to, share), out);
  SlowDown(ctx.dt_s, out);
}

void ReachNode::Refine(Vec3 to, int lowest, const skel::PoseSpan& out) const {
  skel::ChainIkJob job;
  job.rig = parts_->rig.get();
  job.end = end_, job.offset = offset_;
  job.chain = static_cast<int>(turned_.size()), job.lowest = lowest;
  job.target = to;
  job.most_steps = kMostSteps;
  job.pose = out;
  job.Run();
}

TwoBoneIkNode::TwoBoneIkNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
                             Target target, Number weight, BodyParts::Limb limb, int end,
                             Vec3 offset, std::optional<Vec3> pole)
    : ReachNode(parts, std::move(below), std::move(target), weight,
                JointsBetween(*parts->rig, limb.start, limb.middle), end, offset),
      limb_(limb),
      pole_(pole) {}

void TwoBoneIkNode::Reach(Vec3 to, const skel::PoseSpan& out) const {
  const skel::Rig& rig = *parts().rig;
  if (ReachWithLimb(rig, limb_, end(), offset(), to, pole_, out)) return;
  // No rotation of the whole limb is within the limits: use the nearest.
  out.SetRotation(limb_.start, LimitedRotation(rig, limb_.start, out.rotation(limb_.start)));
  Refine(to, limb_.middle, out);
}

PinNode::PinNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below, Target target,
                 Number weight, int joint, int chain)
    : ReachNode(parts, std::move(below), std::move(target), weight,
                Above(*parts->rig, joint, chain), joint, {}) {}

void PinNode::Reach(Vec3 to, const skel::PoseSpan& out) const { Refine(to, -1, out); }

BodyParts::Limb LimbOf(const BodyParts& parts, int end) {
  const skel::Rig& rig = *parts.rig;
  for (const auto* limbs : {&parts.arms, &parts.legs}) {
    for (const BodyParts::Limb& limb : *limbs) {
      if (limb.complete() && skel::IsAbove(rig, limb.end, end)) return limb;
    }
  }
  BodyParts::Limb limb;
  limb.end = end;
  limb.middle = end < 0 ? -1 : rig.topology().parent(end);
  limb.start = limb.middle < 0 ? -1 : rig.topology().parent(limb.middle);
  if (limb.complete()) limb.hinge = skel::HingeOf(rig, limb.start, limb.middle, limb.end);
  return limb;
}

}  // namespace posewire::graph
