#include "libs/diagram/spectrogram.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::diagram {
namespace {

constexpr double kWindow_s = 0.025, kTop_hz = 8000;
constexpr int kRows = 129;
// Relative to a full-scale tone; weaker power counts as silence.
constexpr double kSilence = 1e-10;

// Returns the power at a row's frequency: the largest of the bins that are nearest to it.
double RowPower(const std::vector<std::complex<double>>& bins, double row_hz, double row_step_hz,
                double bin_hz) {
  const auto last = static_cast<double>(bins.size() / 2);
  const auto bin = [&](double hz) {
    return static_cast<size_t>(std::clamp(std::round(hz / bin_hz), 0.0, last));
  };
  double power = std::norm(bins[bin(row_hz)]);
  for (size_t i = bin(row_hz - row_step_hz / 2); i <= bin(row_hz + row_step_hz / 2); ++i) {
    if (std::fabs(static_cast<double>(i) * bin_hz - row_hz) * 2 >= row_step_hz) continue;
    power = std::max(power, std::norm(bins[i]));
  }
  return power;
}

// The samples under a window that only moves forward.
class Window {
 public:
  Window(size_t size, SampleSource sample) : samples_(size), sample_(sample) {}

  absl::Status MoveTo(int64_t first) {
    const auto size = static_cast<int64_t>(samples_.size());
    const int64_t kept = std::max<int64_t>(0, next_ - first);
    std::copy(samples_.end() - kept, samples_.end(), samples_.begin());
    for (int64_t i = kept; i < size; ++i) {
      absl::StatusOr<int> value = first + i < 0 ? 0 : sample_(first + i);
      if (!value.ok()) return value.status();
      samples_[static_cast<size_t>(i)] = *value / 32768.0;
    }
    next_ = first + size;
    return absl::OkStatus();
  }
  const std::vector<double>& samples() const { return samples_; }

 private:
  std::vector<double> samples_;
  SampleSource sample_;
  int64_t next_ = INT64_MIN / 2;  // position after the last sample
};

void ToLevels(std::vector<double>& power, std::vector<float>* level) {
  const double peak = *std::max_element(power.begin(), power.end());
  level->reserve(power.size());
  for (double p : power) {
    const double under_db = p > 0 && peak > kSilence ? 10 * std::log10(p / peak) : -1e9;
    level->push_back(static_cast<float>(std::max(0.0, 1 + under_db / kSpectrogramRange_db)));
  }
}

}  // namespace

void Transform(std::vector<std::complex<double>>& values) {
  const size_t n = values.size();
  for (size_t i = 1, j = 0; i < n; ++i) {
    size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  for (size_t length = 2; length <= n; length *= 2) {
    const double turn = -2 * std::numbers::pi / static_cast<double>(length);
    for (size_t k = 0; k < length / 2; ++k) {
      const std::complex<double> twiddle = std::polar(1.0, turn * static_cast<double>(k));
      for (size_t at = k; at < n; at += length) {
        const std::complex<double> odd = values[at + length / 2] * twiddle;
        values[at + length / 2] = values[at] - odd;
        values[at] += odd;
      }
    }
  }
}

absl::StatusOr<Spectrogram> MakeSpectrogram(const SpectrogramSpan& span, SampleSource sample) {
  if (span.rate_hz < 200 || span.columns < 1 || !(span.end_s > span.start_s)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "spectrogram: ", span.columns, " columns of ", span.start_s, " to ", span.end_s, " s at ",
        span.rate_hz, " Hz; at least 1 column, some time and 200 Hz are needed"));
  }
  const auto size = static_cast<size_t>(std::lround(kWindow_s * span.rate_hz));
  size_t padded = 2;
  while (padded < size) padded *= 2;
  std::vector<double> hann(size);
  double sum = 0;
  for (size_t i = 0; i < size; ++i) {
    hann[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * (static_cast<double>(i) + 0.5) /
                                   static_cast<double>(size));
    sum += hann[i];
  }
  Spectrogram out{span.columns, kRows, std::min(kTop_hz, span.rate_hz / 2.0), {}};
  const double bin_hz = static_cast<double>(span.rate_hz) / static_cast<double>(padded);
  std::vector<double> power;
  std::vector<std::complex<double>> bins;
  Window window(size, sample);
  for (int column = 0; column < span.columns; ++column) {
    const double middle_s =
        span.start_s + (span.end_s - span.start_s) * (column + 0.5) / span.columns;
    const int64_t first = std::llround(middle_s * span.rate_hz) - static_cast<int64_t>(size / 2);
    if (absl::Status s = window.MoveTo(first); !s.ok()) return s;
    bins.assign(padded, 0);
    for (size_t i = 0; i < size; ++i) bins[i] = window.samples()[i] * hann[i] * 2.0 / sum;
    Transform(bins);
    for (int row = 0; row < kRows; ++row) {
      power.push_back(RowPower(bins, out.row_hz(row), out.row_hz(1), bin_hz));
    }
  }
  ToLevels(power, &out.level);
  return out;
}

}  // namespace posewire::diagram
