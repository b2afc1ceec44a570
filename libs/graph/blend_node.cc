#include "libs/graph/blend_node.h"

#include <algorithm>
#include <utility>

namespace posewire::graph {

BlendNode::BlendNode(const skel::Rig& rig, std::vector<std::unique_ptr<Node>> inputs,
                     std::vector<Number> weights, bool sync)
    : MixNode(rig, std::move(inputs), sync), numbers_(std::move(weights)) {}

void BlendNode::Weigh(const TickContext& ctx, absl::Span<float> weights) {
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<float>(std::clamp(numbers_[i].Step(ctx), 0.0, 1.0));
  }
}

void BlendNode::Adopt(const Node& old) {
  MixNode::Adopt(old);
  const auto* other = dynamic_cast<const BlendNode*>(&old);
  if (other == nullptr || other->numbers_.size() != numbers_.size()) return;
  for (size_t i = 0; i < numbers_.size(); ++i) numbers_[i].Adopt(other->numbers_[i]);
}

BlendSpace1DNode::BlendSpace1DNode(const skel::Rig& rig, std::vector<std::unique_ptr<Node>> inputs,
                                   std::vector<double> places, Number x, bool sync)
    : MixNode(rig, std::move(inputs), sync), x_(x) {
  for (size_t i = 0; i < places.size(); ++i) places_.push_back({places[i], i});
  std::sort(places_.begin(), places_.end(),
            [](const Place& a, const Place& b) { return a.x < b.x; });
}

void BlendSpace1DNode::Weigh(const TickContext& ctx, absl::Span<float> weights) {
  const double x = x_.Step(ctx);
  const auto after = std::upper_bound(places_.begin(), places_.end(), x,
                                      [](double v, const Place& p) { return v < p.x; });
  if (after == places_.begin()) {
    weights[after->input] = 1;
    return;
  }
  const Place& low = *(after - 1);
  if (after == places_.end()) {
    weights[low.input] = 1;
    return;
  }
  const double t = (x - low.x) / (after->x - low.x);
  weights[low.input] = static_cast<float>(1 - t);
  weights[after->input] = static_cast<float>(t);
}

void BlendSpace1DNode::Adopt(const Node& old) {
  MixNode::Adopt(old);
  if (const auto* other = dynamic_cast<const BlendSpace1DNode*>(&old)) x_.Adopt(other->x_);
}

}  // namespace posewire::graph
