// Blends one node on top of another, with a weight and a mask.
#ifndef POSEWIRE_LIBS_GRAPH_LAYER_NODE_H_
#define POSEWIRE_LIBS_GRAPH_LAYER_NODE_H_

#include <memory>

#include "libs/graph/number.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/stack_pose.h"
#include "libs/graph/turn_watch.h"
#include "libs/graph/watched_input.h"
#include "libs/skel/mask.h"

namespace posewire::graph {

// out = lerp(below, layer, weight * mask) for the elements that the layer has. The weight is
// clamped to 0..1; at 0 the layer is not evaluated. Requests easing when the weight jumps, for
// elements that appear in or disappear from either input, and where the mix flips to the other
// side.
class LayerNode : public PassNode {
 public:
  LayerNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below,
            std::unique_ptr<Node> layer);

  void set_weight(Number weight);
  // From the last Update; a fixed number's at any time.
  float weight() const { return weight_; }
  // Must have the rig's size.
  void set_mask(skel::Mask mask);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;
  void Restart() override;
  void Adopt(const Node& old) override;

 private:
  // The layer's weight for an element.
  float Amount(size_t row, size_t element) const {
    return weight_ * AmountOf(mask_.get(), row, element);
  }

  WatchedInput layer_;
  PresenceWatch below_said_;
  TurnWatch turns_;
  skel::Pose spare_;                  // see StackPose
  std::unique_ptr<skel::Mask> mask_;  // null: all
  bool jump_ = false;
  Number number_{1};
  float weight_ = 1, last_ = 1;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LAYER_NODE_H_
