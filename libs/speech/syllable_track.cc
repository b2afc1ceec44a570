#include "libs/speech/syllable_track.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "libs/speech/speech_features.h"

namespace posewire::speech {
namespace {

// how far loudness falls between syllables, as the logarithm of energy
constexpr double kStep = 0.7;
constexpr double kFaint = -9.0;  // log of the mean square; fainter sounds are not voice
constexpr double kShare = 0.12;  // weight of the newest syllable in the usual values
// The delay that windowing and smoothing add.
constexpr double kLag_s = 0.5 * (4 + 5 - 1) * kHop_s;

}  // namespace

float SyllableTrack::Usual::Compare(double value) {
  if (!any) {
    any = true;
    mean = value;
    return 0;
  }
  const double off = (value - mean) / std::max(spread, 1e-3);
  spread += kShare * (std::abs(value - mean) - spread);
  mean += kShare * (value - mean);
  return static_cast<float>(std::clamp(off, -2.0, 2.0));
}

double SyllableTrack::Loudness(absl::Span<const float> hop) {
  double energy = 0;
  for (const float v : hop) {
    if (std::isfinite(v)) energy += static_cast<double>(v) * static_cast<double>(v);
  }
  energies_[hops_ % kWindow] = energy / static_cast<double>(std::max<size_t>(1, hop.size()));
  const double mean = std::accumulate(energies_.begin(), energies_.end(), 0.0) / kWindow;
  logs_[hops_ % kSmooth] = std::log(mean + 1e-9);
  return std::accumulate(logs_.begin(), logs_.end(), 0.0) / kSmooth;
}

std::optional<Syllable> SyllableTrack::Step(absl::Span<const float> hop) {
  const double loudness = Loudness(hop);
  ++hops_;
  if (!rising_) {
    low_ = std::min(low_, loudness);
    if (loudness <= low_ + kStep) return std::nullopt;
    rising_ = true;
    top_ = loudness;
    top_hop_ = began_hop_ = hops_;
    return std::nullopt;
  }
  if (loudness > top_) {
    top_ = loudness;
    top_hop_ = hops_;
  }
  if (loudness >= top_ - kStep) return std::nullopt;
  rising_ = false;
  low_ = loudness;
  if (top_ < kFaint) return std::nullopt;
  const double long_s = std::min(0.5, static_cast<double>(hops_ - began_hop_) * kHop_s);
  return Syllable{static_cast<double>(top_hop_) * kHop_s - kLag_s,
                  loud_.Compare(top_) + long_.Compare(long_s)};
}

}  // namespace posewire::speech
