#include "services/anim_graph/core/mixer.h"

#include <algorithm>

#include "libs/timecode/audio_position.h"

namespace posewire::anim_graph {

Mixer::Mixer(const EngineSettings& settings) : settings_(settings) {
  const double tick = settings.audio_rate_hz * settings.fps.period_s() + 2;
  const double most = settings.audio_rate_hz * settings.max_gap_s + 2 * tick;
  scratch_.resize(static_cast<size_t>(tick));
  sum_.resize(static_cast<size_t>(tick));
  mixed_.resize(static_cast<size_t>(most));
}

void Mixer::BeginFrame() {
  size_ = tick_begin_ = 0;
  voiced_ = false;
}

void Mixer::BeginTick(int64_t k) {
  const int64_t first = timecode::FirstSampleOfTick(k, settings_.audio_rate_hz, settings_.fps);
  const int64_t end = timecode::FirstSampleOfTick(k + 1, settings_.audio_rate_hz, settings_.fps);
  tick_begin_ = size_;
  size_ = std::min(mixed_.size(), size_ + static_cast<size_t>(end - first));
  voices_ = 0;
  std::fill(mixed_.begin() + static_cast<ptrdiff_t>(tick_begin_),
            mixed_.begin() + static_cast<ptrdiff_t>(size_), int16_t{0});
}

absl::Span<int16_t> Mixer::scratch() {
  return absl::MakeSpan(scratch_).subspan(0, size_ - tick_begin_);
}

void Mixer::Add() {
  voiced_ = true;
  const size_t n = size_ - tick_begin_;
  int16_t* const mixed = mixed_.data() + tick_begin_;
  if (++voices_ == 1) {
    std::copy_n(scratch_.data(), n, mixed);
    return;
  }
  if (voices_ == 2) std::copy_n(mixed, n, sum_.data());
  for (size_t i = 0; i < n; ++i) {
    sum_[i] += scratch_[i];
    mixed[i] = static_cast<int16_t>(std::clamp<int32_t>(sum_[i], INT16_MIN, INT16_MAX));
  }
}

}  // namespace posewire::anim_graph
