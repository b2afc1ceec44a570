#include "libs/graph/layer_node.h"

#include <utility>

#include "libs/skel/job_check.h"
#include "libs/skel/layer_job.h"

namespace posewire::graph {
namespace {

constexpr double kEase_s = 0.3;

}  // namespace

LayerNode::LayerNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below,
                     std::unique_ptr<Node> layer)
    : PassNode(std::move(below)),
      layer_(std::move(layer)),
      ease_(rig->joints(), rig->shapes(), 1, kEase_s),
      spare_(StackPose::SpareFor(rig->joints(), rig->shapes())) {}

void LayerNode::set_weight(Number weight) {
  number_ = weight;
  weight_ = skel::ClampWeight(static_cast<float>(weight.value()));
}

void LayerNode::set_mask(skel::Mask mask) {
  mask_ = std::move(mask);
  has_mask_ = true;
}

void LayerNode::Update(const TickContext& ctx, float weight) {
  ease_.Begin();
  weight_ = skel::ClampWeight(static_cast<float>(number_.Step(ctx)));
  jump_ = IsSwitch(last_, weight_, ctx.dt_s);
  last_ = weight_;
  PassNode::Update(ctx, weight);
  layer_->Update(ctx, weight * weight_);
}

void LayerNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  if (weight_ > 0) {
    const StackPose layer(out.joints, out.shapes, spare_);
    layer_->Evaluate(ctx, layer.span());
    ease_.Note(0, layer.view());
    skel::LayerJob job;
    job.below = out;
    job.layer = layer.view();
    job.weight = weight_;
    job.mask = has_mask_ ? &mask_ : nullptr;
    job.out = out;
    job.Run();
    if (weight_ < 1 || has_mask_) ease_.WatchMix(ctx.dt_s, out);
  }
  ease_.Run(ctx.dt_s, jump_, out);
}

void LayerNode::Contribute(float weight, Contributions& out) const {
  PassNode::Contribute(weight, out);
  if (weight_ > 0) layer_->Contribute(weight * weight_, out);
}

void LayerNode::Restart() {
  PassNode::Restart();
  layer_->Restart();
}

void LayerNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const LayerNode*>(&old);
  if (other == nullptr) return;
  number_.Adopt(other->number_);
  last_ = other->last_;
}

}  // namespace posewire::graph
