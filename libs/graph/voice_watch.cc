#include "libs/graph/voice_watch.h"

#include <algorithm>

namespace posewire::graph {
namespace {

// The mouth is closed below the first fraction of its widest recent opening, which is at least the
// second value.
constexpr float kClosed = 0.12f, kLeastWidest = 0.04f;
// Rate at which the widest opening is forgotten, per second; and time constants.
constexpr float kForget = 0.25f, kSmooth_s = 0.11f, kMean_s = 0.9f;

}  // namespace

void VoiceWatch::Step(const Inputs* inputs, float dt_s) {
  float jaw = 0;
  if (inputs != nullptr && jaw_ >= 0) {
    for (const ProviderInput& p : inputs->providers) {
      if (!p.owns_mouth || p.suspended || jaw_ >= p.pose.shapes || p.pose.has_w[jaw_] == 0)
        continue;
      jaw = std::max(jaw, p.pose.weights[jaw_]);
    }
  }
  if (jaw <= 0 && mean_ < 1e-3f && quiet_s_ >= kPause_s) {
    accent_ = 0;
    return;
  }
  widest_ = std::max({jaw, widest_ * (1 - kForget * dt_s), kLeastWidest});
  const float open = jaw / widest_;
  quiet_s_ = open > kClosed ? 0 : std::min(quiet_s_ + dt_s, 10.0f);
  const float share = std::min(dt_s / kSmooth_s, 1.0f);
  fast_ += (open - fast_) * share;
  open_ += (fast_ - open_) * share;
  mean_ += (open_ - mean_) * std::min(dt_s / kMean_s, 1.0f);
  accent_ = open_ - mean_;
}

}  // namespace posewire::graph
