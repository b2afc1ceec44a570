#include "libs/graph/arrangement_node.h"

#include <algorithm>
#include <utility>

#include "libs/graph/contributions.h"

namespace posewire::graph {
ArrangementNode::ArrangementNode(const skel::Rig& rig, std::string name,
                                 std::unique_ptr<Node> below)
    : PassNode(std::move(below)), name_(std::move(name)), layer_(rig) {}

void ArrangementNode::Follow(int variable, int none, std::vector<const Arrangement*> arrangements) {
  variable_ = variable;
  none_ = none;
  arrangements_ = std::move(arrangements);
}

void ArrangementNode::StartOnSource(const TickContext& ctx) {
  player_.Start(on_source_);
  const auto at = std::find(arrangements_.begin(), arrangements_.end(), on_source_);
  if (variable_ < 0 || at == arrangements_.end()) return;
  ctx.variables->Settle(variable_, {static_cast<double>(at - arrangements_.begin()), {}});
}

void ArrangementNode::Update(const TickContext& ctx, float weight) {
  PassNode::Update(ctx, weight);
  if (variable_ >= 0 && ctx.variables->sets(variable_) != seen_sets_) {
    seen_sets_ = ctx.variables->sets(variable_);
    player_.Start(arrangements_[static_cast<size_t>(ctx.variables->choice(variable_))]);
  }
  const bool live = IsLive(*ctx.inputs, {});
  if (live && !live_ && on_source_ != nullptr && player_.playing() == nullptr) StartOnSource(ctx);
  live_ = live;
  const Arrangement* playing = player_.playing();
  if (player_.Step(ctx)) {
    if (ctx.outputs != nullptr) {
      ctx.outputs->Tell({GraphEvent::kArrangementEnded, name_, playing->name});
    }
    if (variable_ >= 0) ctx.variables->Settle(variable_, {static_cast<double>(none_), {}});
  }
  layer_.Show(player_.clip(), player_.clip_time_s(), player_.jumped());
}

void ArrangementNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  layer_.Evaluate(ctx, out);
}

double ArrangementNode::remaining_s() const {
  return player_.playing() != nullptr ? player_.remaining_s() : PassNode::remaining_s();
}

void ArrangementNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const ArrangementNode*>(&old);
  if (other == nullptr) return;
  // The values of the variables were taken over, so playback that they started is not started
  // again.
  seen_sets_ = other->seen_sets_;
  live_ = other->live_;
  const Arrangement* was = other->player_.playing();
  if (was == nullptr) return;
  const auto is = [&](const Arrangement* a) { return a != nullptr && a->name == was->name; };
  const auto same = std::find_if(arrangements_.begin(), arrangements_.end(), is);
  if (same != arrangements_.end()) {
    player_.Adopt(other->player_, *same);
  } else if (is(on_source_)) {
    player_.Adopt(other->player_, on_source_);
  }
}

void ArrangementNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                                 ContributionList& out) const {
  ContributionShare left = share;
  layer_.Contribute(left, out);
  below().Contribute(ctx, left, out);
}

}  // namespace posewire::graph
