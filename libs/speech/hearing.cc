#include "libs/speech/hearing.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace posewire::speech {
namespace {

// Samples resampled at a time, so that no call takes long.
constexpr size_t kPortion = 256;

float Clean(float sample) { return std::isfinite(sample) ? std::clamp(sample, -1.0f, 1.0f) : 0.0f; }

}  // namespace

Hearing::Hearing(std::shared_ptr<const SpeechNetwork> network, int rate_hz)
    : network_(std::move(network)),
      resampler_(rate_hz),
      run_(network_),
      loudness_(network_->lookahead() + 1),
      frames_(kRing) {}

float* Hearing::Room(size_t count) {
  if (sound_at_ > sound_.size() / 2) {
    sound_.erase(sound_.begin(), sound_.begin() + static_cast<std::ptrdiff_t>(sound_at_));
    sound_at_ = 0;
  }
  sound_.resize(sound_.size() + count);
  samples_ += static_cast<int64_t>(count);
  return sound_.data() + sound_.size() - count;
}

void Hearing::Add(absl::Span<const float> samples) {
  std::transform(samples.begin(), samples.end(), Room(samples.size()), Clean);
}

void Hearing::Add(absl::Span<const int16_t> samples) {
  std::transform(samples.begin(), samples.end(), Room(samples.size()),
                 [](int16_t sample) { return static_cast<float>(sample) / 32768.0f; });
}

const HeardStep* Hearing::Next(bool pad) {
  while (heard_.size() - heard_at_ < kHopSamples) {
    if (!TakeSound(pad)) return nullptr;
  }
  step_.hop = absl::MakeConstSpan(heard_).subspan(heard_at_, kHopSamples);
  heard_at_ += kHopSamples;
  features_.Step(step_.hop, feature_frame_);
  step_.loudness = features_.loudness();
  loudness_[steps_ % loudness_.size()] = step_.loudness;
  const absl::Span<const float> logits = run_.Step(feature_frame_);
  ++steps_;
  step_.frame = nullptr;
  if (steps_ >= loudness_.size()) {
    step_.index = steps_ - loudness_.size();
    SoundFrame& frame = frames_[step_.index % kRing];
    frame = run_.Read(logits);
    step_.frame = &frame;
    step_.frame_loudness = loudness_[step_.index % loudness_.size()];
  }
  return &step_;
}

bool Hearing::TakeSound(bool pad) {
  heard_.erase(heard_.begin(), heard_.begin() + static_cast<std::ptrdiff_t>(heard_at_));
  heard_at_ = 0;
  constexpr float kSilence[kPortion] = {};
  const size_t left = sound_.size() - sound_at_;
  if (left == 0 && !pad) return false;
  const size_t count = left == 0 ? kPortion : std::min(left, kPortion);
  resampler_.Process({left == 0 ? kSilence : sound_.data() + sound_at_, count}, heard_);
  if (left > 0) sound_at_ += count;
  return true;
}

}  // namespace posewire::speech
