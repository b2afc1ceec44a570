#include "libs/graph/output_node.h"

#include <utility>

#include "libs/graph/rest_fill.h"

namespace posewire::graph {

OutputNode::OutputNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below)
    : rig_(std::move(rig)), below_(std::move(below)) {
  for (int j = 0; j < rig_->joints(); ++j) last_.push_back(rig_->rest().rotation(j));
}

void OutputNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below_->Evaluate(ctx, out);
  FillFromRest(rig_->rest(), out);
  for (int j = 0; j < out.joints; ++j) {
    skel::Quat q = out.rotation(j);
    if (Dot(q, last_[static_cast<size_t>(j)]) < 0) out.SetRotation(j, q = -q);
    last_[static_cast<size_t>(j)] = q;
  }
}

}  // namespace posewire::graph
