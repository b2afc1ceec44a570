// Lays one node over another with a weight and a mask.
#ifndef POSEWIRE_LIBS_GRAPH_LAYER_NODE_H_
#define POSEWIRE_LIBS_GRAPH_LAYER_NODE_H_

#include <memory>

#include "libs/graph/node.h"
#include "libs/skel/mask.h"

namespace posewire::graph {

// out = lerp(below, layer, weight x mask) for what the layer has. The weight is clamped to 0..1; at
// 0 the layer is not evaluated.
class LayerNode : public Node {
 public:
  LayerNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below,
            std::unique_ptr<Node> layer);

  void set_weight(float weight);
  float weight() const { return weight_; }
  // Of the rig's size.
  void set_mask(skel::Mask mask);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(float weight, Contributions& out) const override;

 private:
  std::unique_ptr<Node> below_, layer_;
  skel::Pose scratch_;
  skel::Mask mask_;
  bool has_mask_ = false;
  float weight_ = 1;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LAYER_NODE_H_
