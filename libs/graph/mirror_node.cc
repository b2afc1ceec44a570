#include "libs/graph/mirror_node.h"

#include <utility>

#include "libs/graph/contributions.h"
#include "libs/graph/transition_requests.h"

namespace posewire::graph {
MirrorNode::MirrorNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below)
    : PassNode(std::move(below)), mirror_(*rig), scratch_(rig->joints(), rig->shapes()) {}

void MirrorNode::Update(const TickContext& ctx, float weight) {
  const bool before = mirrored_;
  mirrored_ = weight_.Step(ctx) >= 0.5;
  jump_ = jump_ || (started_ && mirrored_ != before);
  started_ = true;
  PassNode::Update(ctx, weight);
}

void MirrorNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  if (mirrored_) {
    TransitionRequests asks(out.joints, out.shapes);
    TickContext aside = ctx;
    if (ctx.asks != nullptr) aside.asks = &asks;
    below().Evaluate(aside, scratch_.span());
    mirror_.Run(scratch_.view(), out);
    if (asks.any()) {
      ctx.asks->Each([&](size_t row, size_t i, TransitionRequests::Ms& ms) {
        const auto k = static_cast<int>(i);
        const int other = row < 3 ? mirror_.joint_partner(k) : mirror_.shape_partner(k);
        ms = asks.at(row, static_cast<size_t>(other));
      });
    }
  } else {
    below().Evaluate(ctx, out);
  }
  if (std::exchange(jump_, false) && ctx.asks != nullptr) ctx.asks->AskAll(kSwitchEase_s);
}

void MirrorNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const MirrorNode*>(&old);
  if (other == nullptr) return;
  weight_.Adopt(other->weight_);
}

void MirrorNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                            ContributionList& out) const {
  if (!mirrored_) return PassNode::Contribute(ctx, share, out);
  ContributionShare other = share;
  other.mirrored = !share.mirrored;
  for (size_t j = 0; j < share.joints; ++j) {
    other.row[j] = share.row[static_cast<size_t>(mirror_.joint_partner(static_cast<int>(j)))];
  }
  PassNode::Contribute(ctx, other, out);
}

}  // namespace posewire::graph
