#include "libs/graph/output_node.h"

#include <algorithm>
#include <utility>

#include "libs/graph/rest_fill.h"

namespace posewire::graph {

namespace {

constexpr double kElements_s = 0.3;

}  // namespace

OutputNode::OutputNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below, bool ease)
    : rig_(std::move(rig)), below_(std::move(below)) {
  if (ease && !below_->says_all()) {
    elements_ = std::make_unique<SwitchEase>(rig_->joints(), rig_->shapes(), 1, kElements_s);
  }
  const auto joints = static_cast<size_t>(rig_->joints());
  last_.resize(4 * joints);
  NoteLast(rig_->rest());
}

void OutputNode::NoteLast(const skel::PoseView& pose) {
  const auto joints = static_cast<size_t>(pose.joints);
  float* row = last_.data();
  for (const float* from : {pose.qw, pose.qx, pose.qy, pose.qz}) {
    std::copy_n(from, joints, row);
    row += joints;
  }
}

void OutputNode::KeepSigns(const skel::PoseSpan& out) {
  const auto n = static_cast<size_t>(out.joints);
  float* __restrict lw = last_.data();
  float* __restrict lx = lw + n;
  float* __restrict ly = lx + n;
  float* __restrict lz = ly + n;
  float* __restrict w = out.qw;
  float* __restrict x = out.qx;
  float* __restrict y = out.qy;
  float* __restrict z = out.qz;
  for (size_t j = 0; j < n; ++j) {
    const float dot = lw[j] * w[j] + lx[j] * x[j] + ly[j] * y[j] + lz[j] * z[j];
    const float sign = dot < 0 ? -1.0f : 1.0f;
    w[j] = lw[j] = sign * w[j];
    x[j] = lx[j] = sign * x[j];
    y[j] = ly[j] = sign * y[j];
    z[j] = lz[j] = sign * z[j];
  }
}

void OutputNode::EaseFrom(const skel::PoseView& shown) {
  constexpr double kEase_s = 0.4;
  if (shown.joints != rig_->joints() || shown.shapes != rig_->shapes()) return;
  ease_ = std::make_unique<Transition>(shown.joints, shown.shapes, kEase_s);
  skel::Pose last(shown.joints, shown.shapes);
  last.span().CopyFrom(shown);
  ease_->Run(0, false, nullptr, last.span());
  NoteLast(shown);
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
  KeepSigns(out);
}

}  // namespace posewire::graph
