// Computes the loudness of each frequency of a voice over time.
#ifndef POSEWIRE_LIBS_DIAGRAM_SPECTROGRAM_H_
#define POSEWIRE_LIBS_DIAGRAM_SPECTROGRAM_H_

#include <complex>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace posewire::diagram {

// Range from the loudest cell to the level drawn as silence.
inline constexpr double kSpectrogramRange_db = 60;

struct Spectrogram {
  int columns = 0, rows = 0;
  double top_hz = 0;         // of the last row; the first is 0 Hz
  std::vector<float> level;  // 0..1 in decibels, column by column

  float at(int column, int row) const {
    return level[static_cast<size_t>(column) * static_cast<size_t>(rows) +
                 static_cast<size_t>(row)];
  }
  double row_hz(int row) const { return top_hz * row / (rows - 1); }
};

struct SpectrogramSpan {
  int rate_hz = 0;  // at least 200
  double start_s = 0, end_s = 0;
  int columns = 0;  // at least 1; each covers 25 ms in the middle of its share of the span
};

// Returns the sample at a position counted from time code 0; called with increasing positions.
using SampleSource = absl::FunctionRef<absl::StatusOr<int>(int64_t position)>;

// Short-time Fourier transform with a Hann window, up to 8 kHz or half the rate. Keeps one window
// of samples, however long the span. INVALID_ARGUMENT for a span out of range; otherwise the
// source's errors.
absl::StatusOr<Spectrogram> MakeSpectrogram(const SpectrogramSpan& span, SampleSource sample);

// The discrete Fourier transform in place. The size must be a power of two.
void Transform(std::vector<std::complex<double>>& values);

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_SPECTROGRAM_H_
