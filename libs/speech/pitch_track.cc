#include "libs/speech/pitch_track.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace posewire::speech {
namespace {

constexpr double kPitchRate_hz = 4000;
constexpr double kNearlyAsGood = 0.07;
constexpr double kSilence = 1e-7;  // energy of a window

}  // namespace

std::optional<Pitch> PitchTrack::Step(absl::Span<const float> hop) {
  for (const float sample : hop) {
    const double low = second_.Step(first_.Step(std::isfinite(sample) ? sample : 0.0F));
    if (++phase_ < kEvery) continue;
    phase_ = 0;
    std::copy(sound_.begin() + 1, sound_.end(), sound_.begin());
    sound_.back() = low;
  }
  return Find();
}

std::optional<Pitch> PitchTrack::Find() const {
  std::array<double, kKept> sound = sound_;
  const double mean = std::accumulate(sound.begin(), sound.end(), 0.0) / kKept;
  for (double& sample : sound) sample -= mean;
  const auto newest = sound.end() - kWindow;
  const double energy = std::inner_product(newest, sound.end(), newest, 0.0);
  if (energy < kSilence) return std::nullopt;

  // Of lags kFrom - 1 to kTo + 1.
  std::array<double, kTo - kFrom + 3> alike;
  for (size_t i = 0; i < alike.size(); ++i) {
    const auto earlier = newest - static_cast<std::ptrdiff_t>(kFrom - 1 + i);
    const double other = std::inner_product(earlier, earlier + kWindow, earlier, 0.0);
    alike[i] =
        std::inner_product(newest, sound.end(), earlier, 0.0) / std::sqrt(energy * other + 1e-12);
  }
  const auto is_peak = [&](size_t i) {
    return alike[i] > alike[i - 1] && alike[i] >= alike[i + 1];
  };
  double best = 0;
  for (size_t i = 1; i + 1 < alike.size(); ++i) {
    if (is_peak(i)) best = std::max(best, alike[i]);
  }
  if (best <= 0) return std::nullopt;
  size_t at = 1;
  while (!is_peak(at) || alike[at] < best - kNearlyAsGood) ++at;
  // The top of the parabola through the peak and its neighbours.
  const double curve = alike[at - 1] - 2 * alike[at] + alike[at + 1];
  const double off = curve < 0 ? 0.5 * (alike[at - 1] - alike[at + 1]) / curve : 0;
  const double lag = static_cast<double>(kFrom - 1 + at) + off;
  return Pitch{static_cast<float>(12 * std::log2(kPitchRate_hz / lag / 100)),
               static_cast<float>(std::min(1.0, alike[at]))};
}

}  // namespace posewire::speech
