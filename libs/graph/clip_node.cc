#include "libs/graph/clip_node.h"

#include <algorithm>
#include <cmath>

namespace posewire::graph {

void ClipNode::Play(const clip::Clip* clip) {
  clip_ = clip;
  time_s_ = 0;
  fresh_ = true;
}

bool ClipNode::ended() const {
  return clip_ != nullptr && !clip_->loops() && time_s_ > clip_->duration_s() + 1e-9;
}

void ClipNode::Update(const TickContext& ctx, float weight) {
  (void)weight;
  if (clip_ == nullptr) return;
  if (!fresh_) time_s_ += ctx.dt_s;
  fresh_ = false;
  if (clip_->loops() && clip_->duration_s() > 0) time_s_ = std::fmod(time_s_, clip_->duration_s());
}

void ClipNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  (void)ctx;
  if (clip_ == nullptr) {
    out.ClearPresence();
    return;
  }
  clip_->Sample(time_s_, out);
}

void ClipNode::Contribute(float weight, Contributions& out) const {
  if (clip_ == nullptr || clip_->frames() == 0) return;
  const skel::PoseView first = clip_->frame(0);
  const double time_s = std::min(time_s_, clip_->duration_s());
  if (std::any_of(first.has_r, first.has_r + first.joints, [](uint8_t b) { return b != 0; })) {
    out.Add({clip_, time_s, weight, Region::kBody});
  }
  if (std::any_of(first.has_w, first.has_w + first.shapes, [](uint8_t b) { return b != 0; })) {
    out.Add({clip_, time_s, weight, Region::kFace});
  }
}

}  // namespace posewire::graph
