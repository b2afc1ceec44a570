#include "libs/graph/additive_node.h"

#include <algorithm>
#include <utility>

#include "libs/graph/contributions.h"
#include "libs/graph/pose_node.h"
#include "libs/skel/additive_job.h"
#include "libs/skel/job_check.h"

namespace posewire::graph {
AdditiveNode::AdditiveNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below,
                           std::unique_ptr<Node> delta, std::unique_ptr<Node> reference)
    : PassNode(std::move(below)),
      rig_(std::move(rig)),
      delta_(std::move(delta), rig_->joints(), rig_->shapes()),
      reference_(std::move(reference), rig_->joints(), rig_->shapes()),
      turns_(rig_->joints()),
      spare_(StackPose::SpareFor(rig_->joints(), rig_->shapes())) {
  if (reference_.get() == nullptr) {
    base_ = rig_->rest();
  } else if (const auto* fixed = dynamic_cast<const PoseNode*>(reference_.get())) {
    base_ = fixed->pose();
  } else {
    moving_base_.Resize(rig_->joints(), rig_->shapes());
    base_ = moving_base_.view();
  }
}

void AdditiveNode::Update(const TickContext& ctx, float weight) {
  const float last = weight_;
  weight_ = skel::ClampWeight(static_cast<float>(number_.Step(ctx)));
  jump_ = IsSwitch(last, weight_, ctx.dt_s);
  PassNode::Update(ctx, weight);
  delta_->Update(ctx, weight * weight_);
  if (reference_.get() != nullptr) reference_->Update(ctx, weight * weight_);
}

void AdditiveNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  // The node below stays visible, however much is added.
  const auto part = [&](size_t row, size_t i) {
    return std::min(AmountOf(mask_.get(), row, i), 0.5f);
  };
  if (weight_ > 0) {
    const StackPose difference(out.joints, out.shapes, spare_);
    delta_.Evaluate(ctx, difference.span(), part);
    if (moving_base_.joints() > 0) reference_.Evaluate(ctx, moving_base_.span(), part);
    skel::MakeAdditiveJob take;
    take.pose = difference.view();
    take.reference = base_;
    take.out = difference.span();
    take.Run();
    skel::AdditiveJob add;
    add.below = out;
    add.delta = difference.view();
    add.weight = weight_;
    add.mask = mask_.get();
    add.out = out;
    add.Run();
  }
  if (jump_) delta_.AskAll(ctx, part);
  // A whole difference cannot flip.
  turns_.Ask(ctx, weight_ > 0 && (weight_ < 1 || mask_ != nullptr), out);
}

void AdditiveNode::Restart() {
  PassNode::Restart();
  delta_->Restart();
  if (reference_.get() != nullptr) reference_->Restart();
}

void AdditiveNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const AdditiveNode*>(&old);
  if (other == nullptr) return;
  number_.Adopt(other->number_);
  weight_ = other->weight_;
}

void AdditiveNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                              ContributionList& out) const {
  below().Contribute(ctx, share, out);
  if (weight_ <= 0) return;
  ContributionShare added = share;
  added.additive = true;
  for (size_t j = 0; j < share.size(); ++j) {
    added.row[j] *= weight_ * (j < share.joints ? AmountOf(mask_.get(), 1, j)
                                                : PartOfShapes(rig_->shapes(), [&](size_t s) {
                                                    return AmountOf(mask_.get(), 3, s);
                                                  }));
  }
  delta_->Contribute(ctx, added, out);
}

}  // namespace posewire::graph
