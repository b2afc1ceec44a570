// Builds nodes that swap sides or change time.
#include <algorithm>
#include <utility>

#include "libs/graph/delay_node.h"
#include "libs/graph/mirror_node.h"
#include "libs/graph_loader/builder.h"

namespace posewire::graph {

std::unique_ptr<Node> BuildNode(const v1::MirrorNode& node, Builder& b) {
  auto mirror = std::make_unique<MirrorNode>(b.rig(), b.Child("node", node.node()));
  mirror->set_weight(b.MakeNumber("weight", node.has_weight(), node.weight(), 1, 0, 1));
  return mirror;
}

std::unique_ptr<Node> BuildNode(const v1::DelayNode& node, Builder& b) {
  auto below = b.Child("node", node.node());
  if (!node.has_delay_s()) b.Error("delay_s", "a number, or a variable that it follows, is needed");
  const Number delay =
      b.MakeNumber("delay_s", node.has_delay_s(), node.delay_s(), 0, 0, DelayNode::kMost_s);
  double most = delay.value();
  const int variable = b.stock().variables->Find(node.delay_s().variable());
  if (variable >= 0) {
    const VariableSpec& spec = b.stock().variables->spec(variable);
    const double scale = node.delay_s().has_scale() ? node.delay_s().scale() : 1;
    most = spec.type == VariableType::kNumber
               ? std::max(spec.min * scale, spec.max * scale) + node.delay_s().offset()
               : DelayNode::kMost_s;
    if (!(most <= DelayNode::kMost_s)) most = DelayNode::kMost_s;
  }
  return std::make_unique<DelayNode>(*b.rig(), std::move(below), delay, most);
}

}  // namespace posewire::graph
