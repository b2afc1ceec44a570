#include "libs/graph/layer_node.h"

#include <utility>

#include "libs/graph/contributions.h"
#include "libs/skel/job_check.h"
#include "libs/skel/layer_job.h"

namespace posewire::graph {
LayerNode::LayerNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below,
                     std::unique_ptr<Node> layer)
    : PassNode(std::move(below)),
      layer_(std::move(layer), rig->joints(), rig->shapes()),
      below_said_(rig->joints(), rig->shapes()),
      turns_(rig->joints()),
      spare_(StackPose::SpareFor(rig->joints(), rig->shapes())) {}

void LayerNode::set_weight(Number weight) {
  number_ = weight;
  weight_ = skel::ClampWeight(static_cast<float>(weight.value()));
}

void LayerNode::set_mask(skel::Mask mask) { mask_ = std::make_unique<skel::Mask>(std::move(mask)); }

void LayerNode::Update(const TickContext& ctx, float weight) {
  weight_ = skel::ClampWeight(static_cast<float>(number_.Step(ctx)));
  jump_ = IsSwitch(last_, weight_, ctx.dt_s);
  last_ = weight_;
  PassNode::Update(ctx, weight);
  layer_->Update(ctx, weight * weight_);
}

void LayerNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  // If nothing is below, any share of the layer is the whole value.
  below_said_.Note(out, [&](size_t row, size_t i) {
    if (ctx.asks != nullptr) ctx.asks->Ask(row, i, kJumpEase_s);
  });
  if (weight_ > 0) {
    const StackPose layer(out.joints, out.shapes, spare_);
    layer_.Evaluate(ctx, layer.span(), [&](size_t row, size_t i) { return Amount(row, i); });
    skel::LayerJob job;
    job.below = out;
    job.layer = layer.view();
    job.weight = weight_;
    job.mask = mask_.get();
    job.out = out;
    job.Run();
  }
  if (jump_) {
    layer_.AskAll(ctx, [&](size_t row, size_t i) { return AmountOf(mask_.get(), row, i); });
  }
  turns_.Ask(ctx, weight_ > 0 && (weight_ < 1 || mask_ != nullptr), out);
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

void LayerNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                           ContributionList& out) const {
  ContributionShare lower = share, upper = share;
  const int shapes = below_said_.shapes();
  for (size_t j = 0; j < share.size(); ++j) {
    const bool joint = j < share.joints;
    // If nothing is below, any share of the layer is the whole value.
    const float cover =
        weight_ <= 0 ? 0
        : joint      ? (layer_.said(1, j) ? (below_said_.said(1, j) ? Amount(1, j) : 1.0f) : 0.0f)
                     : PartOfShapes(shapes,
                                    [&](size_t s) { return layer_.said(3, s) ? Amount(3, s) : 0.0f; });
    upper.row[j] *= cover;
    lower.row[j] *= 1 - cover;
  }
  if (weight_ > 0) layer_->Contribute(ctx, upper, out);
  below().Contribute(ctx, lower, out);
}

}  // namespace posewire::graph
