#include "libs/graph/output_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/graph/contributions.h"
#include "libs/graph/rest_fill.h"

namespace posewire::graph {

namespace {

// Rows of rotations; those of two poses never overlap.
struct Rows {
  float* __restrict w, * __restrict x, * __restrict y, * __restrict z;
};

void KeepSignsOf(size_t n, const Rows q, const Rows last) {
  for (size_t j = 0; j < n; ++j) {
    const float dot =
        last.w[j] * q.w[j] + last.x[j] * q.x[j] + last.y[j] * q.y[j] + last.z[j] * q.z[j];
    const float sign = std::copysign(1.0f, dot);
    q.w[j] = last.w[j] = sign * q.w[j];
    q.x[j] = last.x[j] = sign * q.x[j];
    q.y[j] = last.y[j] = sign * q.y[j];
    q.z[j] = last.z[j] = sign * q.z[j];
  }
}

}  // namespace

OutputNode::OutputNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below)
    : rig_(std::move(rig)), below_(std::move(below)) {
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
  float* last = last_.data();
  KeepSignsOf(n, {out.qw, out.qx, out.qy, out.qz}, {last, last + n, last + 2 * n, last + 3 * n});
}

void OutputNode::EaseFrom(const skel::PoseView& shown) {
  // Before the first tick nothing was shown.
  if (shown.joints != rig_->joints() || shown.shapes != rig_->shapes() || !SaysAll(shown)) return;
  ease_ = std::make_unique<Ease>(rig_);
  ease_->StartFrom(shown);
  NoteLast(shown);
  jump_ = true;
}

void OutputNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below_->Evaluate(ctx, out);
  FillFromRest(rig_->rest(), out);
  if (jump_ || (ease_ != nullptr && ease_->active())) {
    TransitionRequests asks(out.joints, out.shapes);
    if (std::exchange(jump_, false)) asks.AskAll(kSwitchEase_s);
    if (ctx.contributions != nullptr) ctx.contributions->StageOf(nullptr)->Note(asks);
    ease_->Run(ctx.dt_s, false, asks, out);
  }
  KeepSigns(out);
}

void OutputNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                            ContributionList& out) const {
  below_->Contribute(ctx, share, out);
  ctx.contributions->StageOf(nullptr)->Run(ctx.dt_s, out);
}

}  // namespace posewire::graph
