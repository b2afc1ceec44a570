// Adds a difference between two poses to another pose.
#ifndef POSEWIRE_LIBS_GRAPH_ADDITIVE_NODE_H_
#define POSEWIRE_LIBS_GRAPH_ADDITIVE_NODE_H_

#include <memory>

#include "libs/graph/number.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/stack_pose.h"
#include "libs/graph/turn_watch.h"
#include "libs/graph/watched_input.h"
#include "libs/skel/mask.h"

namespace posewire::graph {

// out = below + weight * mask * (delta - reference), for the elements that all three have
// (skel::AdditiveJob). The weight is clamped to 0..1; at 0 neither delta nor reference is
// evaluated. Requests easing when the weight jumps, for elements that appear in or disappear from
// delta, and where a partial difference flips to the other side.
class AdditiveNode : public PassNode {
 public:
  // `reference` may be null: the rig's rest pose.
  AdditiveNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below,
               std::unique_ptr<Node> delta, std::unique_ptr<Node> reference);

  void set_weight(Number weight) { number_ = weight; }
  // Must have the rig's size.
  void set_mask(skel::Mask mask) { mask_ = std::make_unique<skel::Mask>(std::move(mask)); }

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;
  void Restart() override;
  void Adopt(const Node& old) override;

 private:
  std::shared_ptr<const skel::Rig> rig_;
  WatchedInput delta_, reference_;
  TurnWatch turns_;
  skel::Pose spare_;                  // see StackPose
  skel::PoseView base_;               // the reference, if it never changes
  skel::Pose moving_base_;            // the reference otherwise; else of size 0
  std::unique_ptr<skel::Mask> mask_;  // null: all
  Number number_{1};
  float weight_ = 0;
  bool jump_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_ADDITIVE_NODE_H_
