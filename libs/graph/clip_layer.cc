#include "libs/graph/clip_layer.h"

#include "libs/skel/layer_job.h"

namespace posewire::graph {

ClipLayer::ClipLayer(const skel::Rig& rig, double ease_s)
    : transition_(rig.joints(), rig.shapes(), ease_s),
      layer_(rig.joints(), rig.shapes()),
      mask_(rig.joints(), rig.shapes()) {}

void ClipLayer::AddToMask(const clip::Clip* clip) {
  if (clip == nullptr || clip->frames() == 0) return;
  const skel::PoseView first = clip->frame(0);
  const skel::PoseSpan& mask = mask_.span();
  if (first.joints != mask.joints || first.shapes != mask.shapes) return;
  for (int j = 0; j < mask.joints; ++j) {
    mask.has_t[j] |= first.has_t[j];
    mask.has_r[j] |= first.has_r[j];
    mask.has_s[j] |= first.has_s[j];
  }
  for (int s = 0; s < mask.shapes; ++s) mask.has_w[s] |= first.has_w[s];
}

void ClipLayer::Show(const clip::Clip* clip, double time_s, bool jump) {
  // Nothing was seen at the tick before: there is nothing to ease from.
  if (!seen_) transition_.Forget();
  seen_ = false;
  if (clip != clip_ || (jump && clip != nullptr)) {
    // A transition under way goes on over its own elements.
    if (!transition_.active()) mask_.span().ClearPresence();
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
    skel::LayerJob job;
    job.below = out;
    job.layer = layer_.view();
    job.mask = amount_.get();
    job.out = out;
    job.Run();
  }
  const skel::PoseView only = mask_.view();
  transition_.Run(dt_s, jump_, &only, out);
  jump_ = false;
}

void ClipLayer::Contribute(float weight, Contributions& out) const {
  if (clip_ != nullptr) out.AddClip(*clip_, time_s_, weight);
}

}  // namespace posewire::graph
