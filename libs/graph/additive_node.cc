#include "libs/graph/additive_node.h"

#include <algorithm>
#include <utility>

#include "libs/graph/pose_node.h"
#include "libs/skel/additive_job.h"
#include "libs/skel/job_check.h"

namespace posewire::graph {
namespace {

constexpr double kEase_s = 0.3;

}  // namespace

AdditiveNode::AdditiveNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below,
                           std::unique_ptr<Node> delta, std::unique_ptr<Node> reference)
    : PassNode(std::move(below)),
      rig_(std::move(rig)),
      delta_(std::move(delta)),
      reference_(std::move(reference)),
      ease_(rig_->joints(), rig_->shapes(), 1, kEase_s, rig_->rest()),
      spare_(StackPose::SpareFor(rig_->joints(), rig_->shapes())),
      recall_spare_(spare_) {
  if (reference_ == nullptr) {
    base_ = rig_->rest();
  } else if (const auto* fixed = dynamic_cast<const PoseNode*>(reference_.get())) {
    base_ = fixed->pose();
  } else {
    moving_base_.Resize(rig_->joints(), rig_->shapes());
    base_ = moving_base_.view();
  }
  may_rest_ = moving_base_.joints() == 0 && this->below().remembers() && delta_->remembers();
  awake_ = !may_rest_;
}

void AdditiveNode::Update(const TickContext& ctx, float weight) {
  if (awake_) ease_.Begin();
  const float last = weight_;
  weight_ = skel::ClampWeight(static_cast<float>(number_.Step(ctx)));
  jump_ = IsSwitch(last, weight_, ctx.dt_s);
  PassNode::Update(ctx, weight);
  delta_->Update(ctx, weight * weight_);
  if (reference_) reference_->Update(ctx, weight * weight_);
  const bool whole = weight_ == 0 || (weight_ == 1 && mask_ == nullptr);
  still_ = may_rest_ && whole && weight_ == last && (weight_ == 0 || !delta_->may_say_other());
  if (!still_ && !awake_) Wake();
}

Memory AdditiveNode::memory() const {
  if (awake_) return ease_.shown().memory();
  Memory memory = below().memory();
  if (shown_weight_ > 0) memory.ticks = std::min(memory.ticks, delta_->memory().ticks);
  return memory;
}

void AdditiveNode::Recall(int ago, const skel::PoseSpan& out) {
  if (awake_) {
    ease_.shown().Write(ago, out);
    return;
  }
  below().Recall(ago, out);
  if (shown_weight_ == 0) return;
  const StackPose difference(out.joints, out.shapes, spare_);
  delta_->Recall(ago, difference.span());
  TakeReference(difference.span());
  Add(difference.view(), shown_weight_, out);
}

void AdditiveNode::Wake() {
  ease_.Forget();
  calm_ = 0;
  const StackPose scratch(rig_->joints(), rig_->shapes(), recall_spare_);
  Remember(*this, ease_.shown(), scratch.span());
  if (shown_weight_ > 0 && ease_.shown().ticks() > 0) {
    delta_->Recall(0, scratch.span());
    TakeReference(scratch.span());
    ease_.Note(0, scratch.view());
  }
  awake_ = true;
}

void AdditiveNode::TakeReference(const skel::PoseSpan& pose) const {
  skel::MakeAdditiveJob take;
  take.pose = pose;
  take.reference = base_;
  take.out = pose;
  take.Run();
}

void AdditiveNode::Add(const skel::PoseView& difference, float weight,
                       const skel::PoseSpan& out) const {
  skel::AdditiveJob add;
  add.below = out;
  add.delta = difference;
  add.weight = weight;
  add.mask = mask_.get();
  add.out = out;
  add.Run();
}

void AdditiveNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  if (weight_ > 0) {
    const StackPose difference(out.joints, out.shapes, spare_);
    delta_->Evaluate(ctx, difference.span());
    if (moving_base_.joints() > 0) reference_->Evaluate(ctx, moving_base_.span());
    TakeReference(difference.span());
    if (awake_) ease_.Note(0, difference.view());
    Add(difference.view(), weight_, out);
    // A whole difference has no other way round.
    if (weight_ < 1 || mask_ != nullptr) ease_.WatchMix(ctx.dt_s, out);
  }
  shown_weight_ = weight_;
  if (!awake_) return;
  const bool calm = still_ && ease_.calm();
  ease_.Run(ctx.dt_s, jump_, out);
  calm_ = calm ? calm_ + 1 : 0;
  if (calm_ == 2) awake_ = false;
}

void AdditiveNode::Restart() {
  PassNode::Restart();
  delta_->Restart();
  if (reference_) reference_->Restart();
}

void AdditiveNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const AdditiveNode*>(&old);
  if (other == nullptr) return;
  number_.Adopt(other->number_);
  weight_ = other->weight_;
}

}  // namespace posewire::graph
