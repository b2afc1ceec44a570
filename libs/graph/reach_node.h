// Moves a joint or site to a target: with two bones (TwoBoneIkNode) or a chain (PinNode).
#ifndef POSEWIRE_LIBS_GRAPH_REACH_NODE_H_
#define POSEWIRE_LIBS_GRAPH_REACH_NODE_H_

#include <memory>
#include <optional>
#include <vector>

#include "libs/graph/body_parts.h"
#include "libs/graph/number.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/target.h"

namespace posewire::graph {

// The common part: a target that appears and disappears smoothly, and a weight that never jumps. At
// weight w the point moves to lerp(animated place, target, w). The rotation added to a joint
// changes by at most 12 radians per second, even where a small motion of the target would need
// more.
class ReachNode : public PassNode {
 public:
  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

 protected:
  // `joints`: those that Reach rotates.
  ReachNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below, Target target,
            Number weight, std::vector<int> joints, int end, skel::Vec3 offset);
  const BodyParts& parts() const { return *parts_; }
  int end() const { return end_; }
  skel::Vec3 offset() const { return offset_; }
  virtual void Reach(skel::Vec3 to, const skel::PoseSpan& out) const = 0;
  // Moves the point the rest of the way by rotating the joints from `lowest` up (-1: from the one
  // above the point), as little as needed and within their limits.
  void Refine(skel::Vec3 to, int lowest, const skel::PoseSpan& out) const;

 private:
  struct Turned {
    int joint;
    skel::Quat animated, added;
  };
  float FollowTarget(const TickContext& ctx, float weight, skel::Vec3 animated,
                     const skel::PoseView& pose);
  void SlowDown(double dt_s, const skel::PoseSpan& out);

  std::shared_ptr<const BodyParts> parts_;
  Target target_;
  Number wanted_;
  int end_;
  skel::Vec3 offset_;
  EasedWeight weight_{0.4f};
  TargetFollower follower_{0.05, 2.5f};
  std::vector<Turned> turned_;
  bool active_ = false;
  bool holds_ = false;  // without a target: the point is held at its place at the beginning
  skel::Vec3 held_;
};

// For shoulder-elbow-wrist or hip-knee-ankle.
class TwoBoneIkNode : public ReachNode {
 public:
  // `end` is `limb.end` or below it; `limb` must be complete.
  TwoBoneIkNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below, Target target,
                Number weight, BodyParts::Limb limb, int end, skel::Vec3 offset,
                std::optional<skel::Vec3> pole);

 private:
  void Reach(skel::Vec3 to, const skel::PoseSpan& out) const override;

  BodyParts::Limb limb_;
  std::optional<skel::Vec3> pole_;
};

// Holds the position of a joint: at the target, or without one at its place when the weight rose
// from 0.
class PinNode : public ReachNode {
 public:
  PinNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below, Target target,
          Number weight, int joint, int chain);

 private:
  void Reach(skel::Vec3 to, const skel::PoseSpan& out) const override;
};

// Returns the limb of three joints that ends in `end` or carries it: the arm or leg of the rig,
// else its two ancestors. Incomplete if there are none.
BodyParts::Limb LimbOf(const BodyParts& parts, int end);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_REACH_NODE_H_
