#include "libs/speech/sound_trimmer.h"

#include <algorithm>

namespace posewire::speech {
namespace {

// -50 dB of full scale, squared.
constexpr double kSilentEnergy = 104.0 * 104.0;

}  // namespace

SoundTrimmer::SoundTrimmer(int rate_hz, double lead_s, double tail_s)
    : rate_hz_(rate_hz),
      block_(static_cast<size_t>(rate_hz / 100)),
      lead_(static_cast<size_t>(lead_s * rate_hz)),
      tail_(static_cast<size_t>(tail_s * rate_hz)) {}

void SoundTrimmer::Add(absl::Span<const int16_t> sound, std::vector<int16_t>& out) {
  for (const int16_t sample : sound) {
    held_.push_back(sample);
    if (held_.size() - silent_ == block_) Block(out);
  }
}

// Measures the block that starts at silent_.
void SoundTrimmer::Block(std::vector<int16_t>& out) {
  double energy = 0;
  for (size_t i = silent_; i < held_.size(); ++i) {
    energy += static_cast<double>(held_[i]) * held_[i];
  }
  if (energy < kSilentEnergy * static_cast<double>(held_.size() - silent_)) {
    silent_ = held_.size();
    return;
  }
  size_t cut = 0;
  if (!spoke_) {
    cut = silent_ - std::min(silent_, lead_);
    cut_s_ = static_cast<double>(cut) / rate_hz_;
  }
  spoke_ = true;
  out.insert(out.end(), held_.begin() + static_cast<std::ptrdiff_t>(cut), held_.end());
  held_.clear();
  silent_ = 0;
}

void SoundTrimmer::Finish(std::vector<int16_t>& out) {
  if (held_.size() > silent_) Block(out);
  if (spoke_) {
    const size_t tail = std::min(held_.size(), tail_);
    tail_s_ = static_cast<double>(tail) / rate_hz_;
    out.insert(out.end(), held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(tail));
  }
  held_.clear();
  silent_ = 0;
}

}  // namespace posewire::speech
