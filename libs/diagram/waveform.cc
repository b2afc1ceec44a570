#include "libs/diagram/waveform.h"

#include <algorithm>
#include <cmath>

namespace posewire::diagram {

Waveform::Waveform(int rate_hz)
    : rate_hz_(rate_hz), bucket_samples_(std::max<int64_t>(1, rate_hz / 200)) {}

void Waveform::Add(int64_t first_sample, absl::Span<const int16_t> samples) {
  if (samples.empty() || first_sample < 0) return;
  const int64_t end = first_sample + static_cast<int64_t>(samples.size());
  const auto buckets = static_cast<size_t>((end + bucket_samples_ - 1) / bucket_samples_);
  if (buckets_.size() < buckets) buckets_.resize(buckets);
  for (size_t i = 0; i < samples.size(); ++i) {
    Bucket& b =
        buckets_[static_cast<size_t>((first_sample + static_cast<int64_t>(i)) / bucket_samples_)];
    b.low = std::min(b.low, samples[i]);
    b.high = std::max(b.high, samples[i]);
  }
}

std::pair<float, float> Waveform::Range(double from_s, double to_s) const {
  const double per_s = static_cast<double>(rate_hz_) / static_cast<double>(bucket_samples_);
  const double count = static_cast<double>(buckets_.size());
  const auto first = static_cast<size_t>(std::clamp(std::floor(from_s * per_s), 0.0, count));
  const auto last = static_cast<size_t>(
      std::clamp(std::max(std::ceil(to_s * per_s), std::floor(from_s * per_s) + 1), 0.0, count));
  int low = 0, high = 0;
  for (size_t i = first; i < last; ++i) {
    low = std::min<int>(low, buckets_[i].low);
    high = std::max<int>(high, buckets_[i].high);
  }
  return {static_cast<float>(low) / 32768.0f, static_cast<float>(high) / 32768.0f};
}

}  // namespace posewire::diagram
