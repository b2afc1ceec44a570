#include "libs/graph/clip_layer.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "libs/skel/layer_job.h"

namespace posewire::graph {
namespace {

// Rows of poses stay aligned.
constexpr int kRow = 16;

// The joints first..first + joints of a pose, with all its shapes.
template <typename Span>
Span Part(Span pose, int first, int joints) {
  pose.joints = joints;
  for (auto* row : {&pose.tx, &pose.ty, &pose.tz, &pose.qw, &pose.qx, &pose.qy, &pose.qz, &pose.sx,
                    &pose.sy, &pose.sz}) {
    *row += first;
  }
  for (auto* row : {&pose.has_t, &pose.has_r, &pose.has_s}) *row += first;
  return pose;
}

}  // namespace

ClipLayer::ClipLayer(const skel::Rig& rig, double ease_s)
    : ease_s_(ease_s),
      joints_(rig.joints()),
      transition_(std::make_unique<Transition>(rig.joints(), rig.shapes(), ease_s)),
      layer_(rig.joints(), rig.shapes()),
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
  first_ = high == 0 ? 0 : low / kRow * kRow;
  joints_ = high - first_;
  transition_ = std::make_unique<Transition>(joints_, mask_.shapes(), ease_s_);
}

void ClipLayer::AddToMask(const clip::Clip* clip) {
  if (clip == nullptr || clip->frames() == 0) return;
  const skel::PoseView first = clip->frame(0);
  const skel::PoseSpan& mask = mask_.span();
  if (first.joints != mask.joints || first.shapes != mask.shapes) return;
  for (int j = 0; j < mask.joints; ++j) {
    if (amount_ != nullptr && amount_->joint(j) == 0) continue;
    mask.has_t[j] |= first.has_t[j];
    mask.has_r[j] |= first.has_r[j];
    mask.has_s[j] |= first.has_s[j];
  }
  for (int s = 0; s < mask.shapes; ++s) {
    if (amount_ == nullptr || amount_->shape(s) > 0) mask.has_w[s] |= first.has_w[s];
  }
}

void ClipLayer::Show(const clip::Clip* clip, double time_s, bool jump) {
  // Nothing was seen at the tick before: there is nothing to ease from.
  if (!seen_) transition_->Forget();
  seen_ = false;
  if (clip != clip_ || (jump && clip != nullptr)) {
    // A transition under way goes on over its own elements.
    if (!transition_->active()) mask_.span().ClearPresence();
    AddToMask(clip_);
    AddToMask(clip);
    jump_ = true;
  }
  clip_ = clip;
  time_s_ = time_s;
}

void ClipLayer::Evaluate(double dt_s, const skel::PoseSpan& out) {
  seen_ = true;
  if (clip_ != nullptr) {
    clip_->Sample(time_s_, layer_.span());
    if (leaves_eyes_) {
      for (int s : eyes_) layer_.span().has_w[s] = 0;
    }
    skel::LayerJob job;
    job.below = out;
    job.layer = layer_.view();
    job.mask = amount_.get();
    job.out = out;
    job.Run();
  }
  const skel::PoseView only = Part(mask_.view(), first_, joints_);
  transition_->Run(dt_s, jump_, &only, Part(out, first_, joints_));
  jump_ = false;
}

void ClipLayer::Contribute(float weight, Contributions& out) const {
  if (clip_ != nullptr) out.AddClip(*clip_, time_s_, weight);
}

}  // namespace posewire::graph
