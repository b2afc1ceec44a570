#include "libs/graph/clip_layer.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "libs/graph/contributions.h"
#include "libs/graph/stack_pose.h"
#include "libs/skel/layer_job.h"

namespace posewire::graph {

ClipLayer::ClipLayer(const skel::Rig& rig)
    : spare_(StackPose::SpareFor(rig.joints(), rig.shapes())) {
  for (int s = 0; s < rig.shapes(); ++s) {
    const std::string name = absl::AsciiStrToLower(rig.shape_names()[static_cast<size_t>(s)]);
    if (absl::StartsWith(name, "eyelook") || absl::StartsWith(name, "eyeblink")) eyes_.push_back(s);
  }
}

void ClipLayer::LeaveEyes(bool leave) {
  eyes_jump_ = eyes_jump_ || leave != leaves_eyes_;
  leaves_eyes_ = leave;
}

void ClipLayer::Show(const clip::Clip* clip, double time_s, bool jump) {
  jump_ = jump_ || clip != clip_ || (jump && clip != nullptr);
  clip_ = clip;
  time_s_ = time_s;
}

void ClipLayer::AskFor(const clip::Clip* clip, TransitionRequests& asks) const {
  if (clip == nullptr || clip->frames() == 0) return;
  const skel::PoseView first = clip->frame(0);
  asks.Each([&](size_t row, size_t i, TransitionRequests::Ms& ms) {
    if (i < static_cast<size_t>(row < 3 ? first.joints : first.shapes) &&
        PresenceRow(first, row)[i] != 0 && AmountOf(mask_.get(), row, i) > 0) {
      ms = TransitionRequests::MsOf(ease_s_);
    }
  });
}

void ClipLayer::Lay(const TickContext& ctx, const skel::PoseSpan& out) {
  const StackPose layer(out.joints, out.shapes, spare_);
  clip_->Sample(time_s_, layer.span());
  if (leaves_eyes_) {
    for (int s : eyes_) layer.span().has_w[s] = 0;
  }
  skel::LayerJob job;
  job.below = out;
  job.layer = layer.view();
  job.mask = mask_.get();
  job.out = out;
  job.Run();
  if (ctx.asks == nullptr) return;
  ctx.asks->Drop([&](size_t row, size_t i) {
    return PresenceRow(layer.view(), row)[i] != 0 && AmountOf(mask_.get(), row, i) >= 1;
  });
}

void ClipLayer::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  if (clip_ != nullptr) Lay(ctx, out);
  if (jump_ && ctx.asks != nullptr) {
    AskFor(shown_, *ctx.asks);
    AskFor(clip_, *ctx.asks);
  }
  if (eyes_jump_ && clip_ != nullptr && ctx.asks != nullptr) {
    for (int s : eyes_) ctx.asks->Ask(3, static_cast<size_t>(s), ease_s_);
  }
  shown_ = clip_;
  jump_ = eyes_jump_ = false;
}

void ClipLayer::Contribute(ContributionShare& share, ContributionList& out) const {
  if (clip_ == nullptr || clip_->frames() == 0) return;
  const skel::PoseView first = clip_->frame(0);
  ContributionShare mine = share;
  const size_t joints = share.joints;
  for (size_t j = 0; j < share.size(); ++j) {
    const float amount =
        j < joints
            ? AmountOf(mask_.get(), 1, j)
            : PartOfShapes(first.shapes, [&](size_t s) { return AmountOf(mask_.get(), 3, s); });
    mine.row[j] *= amount;
    share.row[j] *= 1 - amount * PartOf(first, j);
  }
  out.AddClip(*clip_, time_s_, mine);
}

}  // namespace posewire::graph
