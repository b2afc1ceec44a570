#include "libs/graph/blink_node.h"

#include <algorithm>
#include <utility>

namespace posewire::graph {

BlinkNode::BlinkNode(const skel::Rig& rig, std::unique_ptr<Node> below, const IdleNode* idle,
                     std::vector<const ProviderNode*> providers)
    : PassNode(std::move(below)),
      idle_(idle),
      providers_(std::move(providers)),
      lids_{rig.FindShape("eyeBlinkLeft"), rig.FindShape("eyeBlinkRight")} {}

void BlinkNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  const float step = static_cast<float>(std::min(ctx.dt_s * 7.5, 1.0));
  const bool driven = std::any_of(providers_.begin(), providers_.end(),
                                  [](const auto* p) { return p->joints_drive_lids(); });
  share_ = std::clamp(driven ? share_ - step : share_ + step, 0.0f, 1.0f);
  if (share_ == 0) return;
  const float blink = idle_->blink() * share_;
  for (int lid : lids_) {
    if (lid < 0) continue;
    out.SetWeight(lid, std::max(out.has_w[lid] ? out.weights[lid] : 0.0f, blink));
  }
}

}  // namespace posewire::graph
