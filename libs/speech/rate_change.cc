#include "libs/speech/rate_change.h"

#include <algorithm>
#include <cmath>

namespace posewire::speech {

RateChange::RateChange(int rate_hz, int to_hz)
    : rate_hz_(rate_hz), to_hz_(to_hz), resampler_(rate_hz, to_hz) {}

void RateChange::Add(absl::Span<const int16_t> sound, std::vector<int16_t>& out) {
  if (rate_hz_ == to_hz_) {
    out.insert(out.end(), sound.begin(), sound.end());
    return;
  }
  in_.resize(sound.size());
  std::transform(sound.begin(), sound.end(), in_.begin(),
                 [](int16_t sample) { return static_cast<float>(sample) / 32768.0f; });
  taken_ += static_cast<int64_t>(sound.size());
  resampler_.Process(in_, made_);
  Give(static_cast<int64_t>(made_.size()), out);
}

void RateChange::Finish(std::vector<int16_t>& out) {
  if (rate_hz_ == to_hz_) return;
  const int64_t whole = (taken_ * to_hz_ + rate_hz_ / 2) / rate_hz_;
  // More than the converter's delay.
  in_.assign(static_cast<size_t>(rate_hz_ / 20 + 1), 0.0f);
  resampler_.Process(in_, made_);
  Give(whole - given_, out);
}

void RateChange::Give(int64_t most, std::vector<int16_t>& out) {
  const auto count =
      static_cast<std::ptrdiff_t>(std::clamp<int64_t>(most, 0, static_cast<int64_t>(made_.size())));
  std::transform(made_.begin(), made_.begin() + count, std::back_inserter(out), [](float sample) {
    return static_cast<int16_t>(std::lround(std::clamp(sample, -1.0f, 32767.0f / 32768) * 32768));
  });
  given_ += count;
  made_.clear();
}

}  // namespace posewire::speech
