#include "libs/graph/gesture_node.h"

#include <utility>

#include "libs/skel/layer_job.h"

namespace posewire::graph {
namespace {

constexpr double kEase_s = 0.4;

}  // namespace

GestureNode::GestureNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below)
    : below_(std::move(below)),
      transition_(rig->joints(), rig->shapes(), kEase_s),
      layer_(rig->joints(), rig->shapes()),
      mask_(rig->joints(), rig->shapes()) {}

void GestureNode::Follow(std::string name, int variable, int none,
                         std::vector<const clip::Clip*> clips) {
  name_ = std::move(name);
  variable_ = variable;
  none_ = none;
  clips_ = std::move(clips);
}

void GestureNode::set_mask(skel::Mask mask) {
  amount_ = std::make_unique<skel::Mask>(std::move(mask));
}

void GestureNode::set_ease_s(double ease_s) { transition_.set_duration_s(ease_s); }

void GestureNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const GestureNode*>(&old);
  if (other == nullptr) return;
  // The values of the variables were taken over: what they started there is not started again.
  seen_sets_ = other->seen_sets_;
  const clip::Clip* playing = other->clip_.clip();
  if (playing == nullptr) return;
  for (const clip::Clip* clip : clips_) {
    if (clip == nullptr || clip->name() != playing->name()) continue;
    clip_.Play(clip);
    clip_.Adopt(other->clip_);
    return;
  }
}

void GestureNode::Tell(const TickContext& ctx, GraphEvent::Kind kind,
                       const clip::Clip* clip) const {
  if (ctx.outputs == nullptr || clip == nullptr) return;
  TickOutputs& out = *ctx.outputs;
  // Where two nodes follow one variable, the first one tells.
  for (int i = 0; i < out.event_count; ++i) {
    const GraphEvent& told = out.events[static_cast<size_t>(i)];
    if (told.kind == kind && told.name == clip->name()) return;
  }
  out.Tell({kind, name_, clip->name()});
}

void GestureNode::Set(const clip::Clip* clip) {
  next_ = clip;
  has_next_ = true;
}

void GestureNode::AddToMask(const clip::Clip* clip) {
  if (clip == nullptr || clip->frames() == 0) return;
  const skel::PoseView first = clip->frame(0);
  const skel::PoseSpan& mask = mask_.span();
  if (first.joints != mask.joints || first.shapes != mask.shapes) return;
  for (int j = 0; j < mask.joints; ++j) {
    if (amount_ != nullptr && amount_->joint(j) == 0) continue;
    mask.has_t[j] |= first.has_t[j];
    mask.has_r[j] |= first.has_r[j];
    mask.has_s[j] |= first.has_s[j];
  }
  for (int s = 0; s < mask.shapes; ++s) {
    if (amount_ == nullptr || amount_->shape(s) > 0) mask.has_w[s] |= first.has_w[s];
  }
}

void GestureNode::SwitchTo(const clip::Clip* clip) {
  if (clip == nullptr && clip_.clip() == nullptr) return;
  // A transition under way goes on over its own elements.
  if (!transition_.active()) mask_.span().ClearPresence();
  AddToMask(clip_.clip());
  AddToMask(clip);
  clip_.Play(clip);
  jump_ = true;
}

void GestureNode::Update(const TickContext& ctx, float weight) {
  below_->Update(ctx, weight);
  jump_ = false;
  if (variable_ >= 0 && ctx.variables->sets(variable_) != seen_sets_) {
    seen_sets_ = ctx.variables->sets(variable_);
    Set(clips_[static_cast<size_t>(ctx.variables->choice(variable_))]);
  }
  if (has_next_) {
    Tell(ctx, GraphEvent::kGestureInterrupted, clip_.clip());
    SwitchTo(next_);
    Tell(ctx, GraphEvent::kGestureStarted, clip_.clip());
  }
  has_next_ = false;
  clip_.Update(ctx, weight);
  if (clip_.ended()) {
    Tell(ctx, GraphEvent::kGestureEnded, clip_.clip());
    SwitchTo(nullptr);
    if (variable_ >= 0) ctx.variables->Settle(variable_, {static_cast<double>(none_), {}});
  }
}

void GestureNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below_->Evaluate(ctx, out);
  if (clip_.clip() != nullptr) {
    clip_.Evaluate(ctx, layer_.span());
    skel::LayerJob job;
    job.below = out;
    job.layer = layer_.view();
    job.mask = amount_.get();
    job.out = out;
    job.Run();
  }
  const skel::PoseView only = mask_.view();
  transition_.Run(ctx.dt_s, jump_, &only, out);
}

void GestureNode::Contribute(float weight, Contributions& out) const {
  below_->Contribute(weight, out);
  clip_.Contribute(weight, out);
}

}  // namespace posewire::graph
