#include "libs/graph/mirror_node.h"

#include <utility>

namespace posewire::graph {
namespace {

constexpr double kEase_s = 0.4;

}  // namespace

MirrorNode::MirrorNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below)
    : PassNode(std::move(below)),
      mirror_(*rig),
      scratch_(rig->joints(), rig->shapes()),
      ease_(rig->joints(), rig->shapes(), 0, kEase_s) {}

void MirrorNode::Update(const TickContext& ctx, float weight) {
  ease_.Begin();
  const bool before = mirrored_;
  mirrored_ = weight_.Step(ctx) >= 0.5;
  jump_ = started_ && mirrored_ != before;
  started_ = true;
  PassNode::Update(ctx, weight);
}

void MirrorNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  if (mirrored_) {
    below().Evaluate(ctx, scratch_.span());
    mirror_.Run(scratch_.view(), out);
  } else {
    below().Evaluate(ctx, out);
  }
  ease_.Run(ctx.dt_s, jump_, out);
}

void MirrorNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const MirrorNode*>(&old);
  if (other == nullptr) return;
  weight_.Adopt(other->weight_);
}

}  // namespace posewire::graph
