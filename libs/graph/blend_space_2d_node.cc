#include "libs/graph/blend_space_2d_node.h"

#include <utility>

namespace posewire::graph {

BlendSpace2DNode::BlendSpace2DNode(const skel::Rig& rig, std::vector<std::unique_ptr<Node>> inputs,
                                   std::vector<PlanePoint> places, Number x, Number y, bool sync)
    : MixNode(rig, std::move(inputs), sync), triangles_(std::move(places)), x_(x), y_(y) {}

void BlendSpace2DNode::Weigh(const TickContext& ctx, absl::Span<float> weights) {
  const double x = x_.Step(ctx), y = y_.Step(ctx);
  const Triangulation::Mix mix = triangles_.At({x, y});
  for (size_t i = 0; i < mix.points.size(); ++i) {
    weights[static_cast<size_t>(mix.points[i])] += static_cast<float>(mix.weights[i]);
  }
}

void BlendSpace2DNode::Adopt(const Node& old) {
  MixNode::Adopt(old);
  const auto* other = dynamic_cast<const BlendSpace2DNode*>(&old);
  if (other == nullptr) return;
  x_.Adopt(other->x_);
  y_.Adopt(other->y_);
}

}  // namespace posewire::graph
