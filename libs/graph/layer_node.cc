#include "libs/graph/layer_node.h"

#include <utility>

#include "libs/skel/layer_job.h"

namespace posewire::graph {

LayerNode::LayerNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below,
                     std::unique_ptr<Node> layer)
    : below_(std::move(below)), layer_(std::move(layer)), scratch_(rig->joints(), rig->shapes()) {}

void LayerNode::set_weight(float weight) {
  // Not a number counts as 0.
  weight_ = weight > 0 ? (weight < 1 ? weight : 1) : 0;
}

void LayerNode::set_mask(skel::Mask mask) {
  mask_ = std::move(mask);
  has_mask_ = true;
}

void LayerNode::Update(const TickContext& ctx, float weight) {
  below_->Update(ctx, weight);
  layer_->Update(ctx, weight * weight_);
}

void LayerNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below_->Evaluate(ctx, out);
  if (weight_ == 0) return;
  layer_->Evaluate(ctx, scratch_.span());
  skel::LayerJob job;
  job.below = out;
  job.layer = scratch_.view();
  job.weight = weight_;
  job.mask = has_mask_ ? &mask_ : nullptr;
  job.out = out;
  job.Run();
}

void LayerNode::Contribute(float weight, Contributions& out) const {
  below_->Contribute(weight, out);
  if (weight_ > 0) layer_->Contribute(weight * weight_, out);
}

}  // namespace posewire::graph
