#include "libs/graph/gesture_node.h"

#include <algorithm>
#include <utility>

#include "libs/graph/contributions.h"

namespace posewire::graph {
GestureNode::GestureNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below)
    : PassNode(std::move(below)), layer_(*rig) {}

void GestureNode::Follow(std::string name, int variable, int none,
                         std::vector<const clip::Clip*> clips) {
  name_ = std::move(name);
  variable_ = variable;
  none_ = none;
  clips_ = std::move(clips);
}

void GestureNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const GestureNode*>(&old);
  if (other == nullptr) return;
  // The values of the variables were taken over, so playback that they started is not started
  // again.
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
  // If two nodes follow one variable, only the first reports.
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

void GestureNode::Update(const TickContext& ctx, float weight) {
  PassNode::Update(ctx, weight);
  if (variable_ >= 0 && ctx.variables->sets(variable_) != seen_sets_) {
    seen_sets_ = ctx.variables->sets(variable_);
    Set(clips_[static_cast<size_t>(ctx.variables->choice(variable_))]);
  }
  const bool begins = has_next_ && next_ != nullptr;
  if (has_next_) {
    Tell(ctx, GraphEvent::kGestureInterrupted, clip_.clip());
    clip_.Play(next_);
    Tell(ctx, GraphEvent::kGestureStarted, clip_.clip());
  }
  has_next_ = false;
  clip_.Update(ctx, weight);
  if (clip_.ended()) {
    Tell(ctx, GraphEvent::kGestureEnded, clip_.clip());
    clip_.Play(nullptr);
    if (variable_ >= 0) ctx.variables->Settle(variable_, {static_cast<double>(none_), {}});
  }
  const bool driven = std::any_of(providers_.begin(), providers_.end(),
                                  [](const auto* p) { return p->joints_drive_eyes_or_lids(); });
  layer_.LeaveEyes(driven);
  layer_.Show(clip_.clip(), clip_.time_s(), begins);
}

void GestureNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  layer_.Evaluate(ctx, out);
}

void GestureNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                             ContributionList& out) const {
  ContributionShare left = share;
  layer_.Contribute(left, out);
  below().Contribute(ctx, left, out);
}

}  // namespace posewire::graph
