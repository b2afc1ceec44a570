#include "libs/graph/clip_layer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "libs/skel/layer_job.h"

namespace posewire::graph {

ClipLayer::ClipLayer(const skel::Rig& rig, Node& below, double ease_s)
    : below_(below),
      may_rest_(below.remembers()),
      rest_(rig.rest()),
      ease_s_(ease_s),
      transition_(std::make_unique<Transition>(rig.joints(), rig.shapes(), ease_s, 0, rest_)),
      spare_(StackPose::SpareFor(rig.joints(), rig.shapes())),
      recall_spare_(spare_),
      mask_(rig.joints(), rig.shapes()) {
  for (int s = 0; s < rig.shapes(); ++s) {
    const std::string name = absl::AsciiStrToLower(rig.shape_names()[static_cast<size_t>(s)]);
    if (absl::StartsWith(name, "eyelook") || absl::StartsWith(name, "eyeblink")) eyes_.push_back(s);
  }
}

void ClipLayer::set_ease_s(double ease_s) {
  ease_s_ = ease_s;
  transition_->set_duration_s(ease_s);
}

void ClipLayer::Narrow(absl::Span<const clip::Clip* const> clips) {
  if (!may_rest_) return;
  int low = mask_.joints(), high = 0;
  for (const clip::Clip* clip : clips) {
    if (clip == nullptr || clip->frames() == 0) continue;
    const skel::PoseView first = clip->frame(0);
    for (int j = 0; j < std::min(mask_.joints(), first.joints); ++j) {
      if (!first.has_t[j] && !first.has_r[j] && !first.has_s[j]) continue;
      if (amount_ != nullptr && amount_->joint(j) == 0) continue;
      low = std::min(low, j);
      high = std::max(high, j + 1);
    }
  }
  const int first = high == 0 ? 0 : low / kPartStep * kPartStep;
  transition_ = std::make_unique<Transition>(high - first, mask_.shapes(), ease_s_, first, rest_);
}

void ClipLayer::AddToMask(const clip::Clip* clip) {
  if (clip == nullptr || clip->frames() == 0) return;
  const skel::PoseView first = clip->frame(0);
  if (first.joints != mask_.joints() || first.shapes != mask_.shapes()) return;
  for (int j = 0; j < first.joints; ++j) {
    if (amount_ != nullptr && amount_->joint(j) == 0) continue;
    mask_.row(0)[j] |= first.has_t[j];
    mask_.row(1)[j] |= first.has_r[j];
    mask_.row(2)[j] |= first.has_s[j];
  }
  for (int s = 0; s < first.shapes; ++s) {
    if (amount_ == nullptr || amount_->shape(s) > 0) mask_.row(3)[s] |= first.has_w[s];
  }
}

void ClipLayer::Show(const clip::Clip* clip, double time_s, bool jump) {
  // Nothing was seen at the tick before: there is nothing to ease from.
  if (!seen_) transition_->Forget();
  const bool seen = std::exchange(seen_, false);
  if (clip != clip_ || (jump && clip != nullptr)) {
    // A transition under way goes on over its own elements.
    if (!transition_->active()) mask_.Fill(0);
    AddToMask(clip_);
    AddToMask(clip);
    jump_ = true;
    if (seen && !awake_) {
      const StackPose scratch(mask_.joints(), mask_.shapes(), recall_spare_);
      Remember(*this, transition_->shown(), scratch.span());
      awake_ = true;
    }
  }
  clip_ = clip;
  time_s_ = time_s;
}

void ClipLayer::Lay(const Laid& laid, const skel::PoseSpan& out) {
  if (laid.clip == nullptr) return;
  const StackPose layer(out.joints, out.shapes, spare_);
  laid.clip->Sample(laid.time_s, layer.span());
  if (laid.leaves_eyes) {
    for (int s : eyes_) layer.span().has_w[s] = 0;
  }
  skel::LayerJob job;
  job.below = out;
  job.layer = layer.view();
  job.mask = amount_.get();
  job.out = out;
  job.Run();
}

void ClipLayer::Evaluate(double dt_s, const skel::PoseSpan& out) {
  seen_ = true;
  newest_ = 1 - newest_;
  laid_[newest_] = {clip_, time_s_, leaves_eyes_};
  Lay(laid_[newest_], out);
  const bool calm = may_rest_ && !jump_ && !transition_->active();
  if (calm && !awake_) return;
  awake_ = true;
  const int first = transition_->shown().first(), joints = transition_->shown().joints();
  const skel::PoseView only = Part(mask_.view(), first, joints);
  transition_->Run(dt_s, jump_, &only, Part(out, first, joints));
  jump_ = false;
  calm_ = calm ? calm_ + 1 : 0;
  if (calm_ == 2) awake_ = false;
}

void ClipLayer::Recall(int ago, const skel::PoseSpan& out) {
  if (may_rest_) below_.Recall(ago, out);
  if (awake_) {
    transition_->shown().Write(ago, out);
  } else {
    Lay(laid_[ago == 0 ? newest_ : 1 - newest_], out);
  }
}

void ClipLayer::Contribute(float weight, Contributions& out) const {
  if (clip_ != nullptr) out.AddClip(*clip_, time_s_, weight);
}

}  // namespace posewire::graph
