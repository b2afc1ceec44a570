#include "libs/graph/output_node.h"

#include <utility>

#include "libs/graph/rest_fill.h"

namespace posewire::graph {

namespace {

constexpr double kElements_s = 0.3;

}  // namespace

OutputNode::OutputNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below, bool ease)
    : rig_(std::move(rig)), below_(std::move(below)) {
  if (ease) {
    elements_ = std::make_unique<SwitchEase>(rig_->joints(), rig_->shapes(), 1, kElements_s);
  }
  for (int j = 0; j < rig_->joints(); ++j) last_.push_back(rig_->rest().rotation(j));
}

void OutputNode::EaseFrom(const skel::PoseView& shown) {
  constexpr double kEase_s = 0.4;
  if (shown.joints != rig_->joints() || shown.shapes != rig_->shapes()) return;
  ease_ = std::make_unique<Transition>(shown.joints, shown.shapes, kEase_s);
  skel::Pose last(shown.joints, shown.shapes);
  last.span().CopyFrom(shown);
  ease_->Run(0, false, nullptr, last.span());
  for (int j = 0; j < shown.joints; ++j) last_[static_cast<size_t>(j)] = shown.rotation(j);
  jump_ = true;
}

void OutputNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below_->Evaluate(ctx, out);
  if (elements_) elements_->Note(0, out);
  FillFromRest(rig_->rest(), out);
  if (elements_) elements_->Run(ctx.dt_s, false, out);
  if (ease_ != nullptr && (jump_ || ease_->active())) {
    ease_->Run(ctx.dt_s, jump_, nullptr, out);
    jump_ = false;
  }
  for (int j = 0; j < out.joints; ++j) {
    skel::Quat q = out.rotation(j);
    if (Dot(q, last_[static_cast<size_t>(j)]) < 0) out.SetRotation(j, q = -q);
    last_[static_cast<size_t>(j)] = q;
  }
}

}  // namespace posewire::graph
