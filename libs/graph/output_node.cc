#include "libs/graph/output_node.h"

#include <utility>

namespace posewire::graph {

OutputNode::OutputNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below)
    : rig_(std::move(rig)), below_(std::move(below)) {
  for (int j = 0; j < rig_->joints(); ++j) last_.push_back(rig_->rest().rotation(j));
}

void OutputNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below_->Evaluate(ctx, out);
  const skel::PoseView rest = rig_->rest();
  for (int j = 0; j < out.joints; ++j) {
    if (!out.has_t[j]) out.SetTranslation(j, rest.translation(j));
    if (!out.has_r[j]) out.SetRotation(j, rest.rotation(j));
    if (!out.has_s[j]) out.SetScale(j, rest.scale(j));
    skel::Quat q = out.rotation(j);
    if (Dot(q, last_[static_cast<size_t>(j)]) < 0) out.SetRotation(j, q = -q);
    last_[static_cast<size_t>(j)] = q;
  }
  for (int s = 0; s < out.shapes; ++s) {
    if (!out.has_w[s]) out.SetWeight(s, rest.weights[s]);
  }
}

}  // namespace posewire::graph
