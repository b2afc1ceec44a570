#include "libs/speech/speech_features.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "libs/speech/sound_resampler.h"

namespace posewire::speech {
namespace {

constexpr double kPreEmphasis = 0.97;
constexpr double kLowest_hz = 60, kHighest_hz = 7600;
constexpr double kBandFloor = 1e-8, kLoudnessFloor = 1e-6;

constexpr double kPeakFloor = -4, kPeakRise = 0.3, kPeakFall = 0.005;
constexpr double kLevelPrior = -10, kLevelWeight = 5, kMaxLevelWeight = 200;
constexpr double kColourWeight = 100, kMaxColourWeight = 1000;
// The assumed spectral colour before any speech was heard.
constexpr std::array<double, kSpeechBands> kColourPrior = {
    -1.9, -0.2, 0.4,  0.3,  0.5,  1.0,  1.2,  0.8,  0.2,  -0.4, -1.0, -1.3, -1.6, -1.5,
    -1.5, -1.5, -1.4, -1.3, -1.2, -1.0, -0.9, -0.6, 0.2,  1.2,  1.7,  1.6,  1.6,  2.0,
    2.0,  2.0,  1.8,  1.0,  0.2,  -0.3, -0.6, -0.9, -0.9, -0.5, 0.4,  0.3};

using Complex = std::complex<double>;

// Omits the checks for infinity in std::complex's product.
Complex Times(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

double Mel(double hz) { return 1127 * std::log(1 + hz / 700); }

}  // namespace

SpeechFeatures::SpeechFeatures()
    : loudness_(std::log(kLoudnessFloor)),
      peak_(kPeakFloor),
      level_(kLevelPrior),
      level_weight_(kLevelWeight),
      colour_weight_(kColourWeight),
      colour_(kColourPrior) {
  for (size_t i = 0; i < kWindow; ++i) {
    const double turn = (static_cast<double>(i) + 0.5) / kWindow;
    hann_[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * turn);
  }
  for (size_t i = 0; i < kBins; ++i) {
    twiddle_[i] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / kFft);
  }
  for (size_t i = 1; i < kHalf; ++i) order_[i] = order_[i / 2] / 2 + i % 2 * kHalf / 2;
  const double step = (Mel(kHighest_hz) - Mel(kLowest_hz)) / (kSpeechBands + 1);
  for (size_t j = 0; j < kBins; ++j) {
    const double hz = static_cast<double>(j) * kNetworkRate_hz / kFft;
    bin_edge_[j] = (Mel(hz) - Mel(kLowest_hz)) / step;
  }
}

void SpeechFeatures::Step(absl::Span<const float> sound, FeatureFrame& features) {
  std::move(emphasised_.begin() + kHopSamples, emphasised_.end(), emphasised_.begin());
  double* newest = emphasised_.data() + kWindow - kHopSamples;
  for (size_t i = 0; i < kHopSamples; ++i) {
    newest[i] = sound[i] - kPreEmphasis * last_sample_;
    last_sample_ = sound[i];
  }
  Transform();
  Normalise(SumBands(), features);
}

// Computes the spectrum of the window with the fast Fourier transform of Cooley and Tukey, in
// place. Even and odd samples are the real and imaginary parts; the end separates them.
void SpeechFeatures::Transform() {
  const double mean = std::accumulate(emphasised_.begin(), emphasised_.end(), 0.0) / kWindow;
  std::array<Complex, kHalf> z{};
  for (size_t i = 0; i < kWindow / 2; ++i) {
    z[order_[i]] = {(emphasised_[2 * i] - mean) * hann_[2 * i],
                    (emphasised_[2 * i + 1] - mean) * hann_[2 * i + 1]};
  }
  for (size_t length = 2; length <= kHalf; length *= 2) {
    for (size_t start = 0; start < kHalf; start += length) {
      for (size_t i = 0; i < length / 2; ++i) {
        Complex& a = z[start + i];
        Complex& b = z[start + i + length / 2];
        const Complex odd = Times(twiddle_[i * (kFft / length)], b);
        b = a - odd;
        a += odd;
      }
    }
  }
  for (size_t j = 0; j < kBins; ++j) {
    const Complex here = z[j % kHalf], there = std::conj(z[(kHalf - j) % kHalf]);
    const Complex even = 0.5 * (here + there), odd = 0.5 * (here - there);
    // The odd samples are the imaginary part: i times their spectrum.
    const Complex turned = Times(twiddle_[j], {odd.imag(), -odd.real()});
    power_[j] = std::norm(even + turned) / kWindow;
  }
}

SpeechFeatures::Bands SpeechFeatures::SumBands() const {
  // A bin between two edges is shared by the band that falls there and the one that rises.
  Bands energies{};
  for (size_t j = 0; j < kBins; ++j) {
    const double edge = std::floor(bin_edge_[j]);
    if (edge < 0 || edge > kSpeechBands) continue;
    const double rising = bin_edge_[j] - edge;
    const auto band = static_cast<size_t>(edge);
    if (band < kSpeechBands) energies[band] += rising * power_[j];
    if (band > 0) energies[band - 1] += (1 - rising) * power_[j];
  }
  return energies;
}

void SpeechFeatures::Normalise(const Bands& energies, FeatureFrame& features) {
  Bands bands;
  double sum = 0, mean = 0;
  for (size_t m = 0; m < kSpeechBands; ++m) {
    bands[m] = std::log(energies[m] + kBandFloor);
    sum += energies[m];
    mean += bands[m] / kSpeechBands;
  }
  loudness_ = std::log(sum + kLoudnessFloor);
  peak_ = loudness_ > peak_ ? peak_ + kPeakRise * (loudness_ - peak_)
                            : std::max(peak_ - kPeakFall, kPeakFloor);
  const double active = std::clamp((loudness_ - peak_ + 5) / 2, 0.0, 1.0);
  level_weight_ = std::min(level_weight_ + active, kMaxLevelWeight);
  level_ += active / level_weight_ * (mean - level_);
  colour_weight_ = std::min(colour_weight_ + active, kMaxColourWeight);
  for (size_t m = 0; m < kSpeechBands; ++m) {
    colour_[m] += active / colour_weight_ * (bands[m] - mean - colour_[m]);
    features[m] = static_cast<float>((bands[m] - level_ - colour_[m]) / 2);
  }
  features[kSpeechBands] = static_cast<float>((loudness_ + 4) / 3);
  features[kSpeechBands + 1] = static_cast<float>((loudness_ - peak_ + 2) / 2);
}

}  // namespace posewire::speech
