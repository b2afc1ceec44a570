// Features of audio for the network: the shape of its spectrum and its loudness, every 10 ms.
//
// A frame's power spectrum is summed to 40 bands on the mel scale, like the ear's, and converted to
// logarithms. The level and colour of the speaker and the microphone are removed by running means,
// which only speech updates, so that a voice looks the same over any line, and silence stays
// silent. tools/speech_model/training/features.py is the exact specification, with which the
// network was trained.
#ifndef POSEWIRE_LIBS_SPEECH_SPEECH_FEATURES_H_
#define POSEWIRE_LIBS_SPEECH_SPEECH_FEATURES_H_

#include <array>
#include <complex>
#include <cstddef>

#include "absl/types/span.h"

namespace posewire::speech {

inline constexpr size_t kHopSamples = 160;  // 10 ms at 16 kHz
inline constexpr double kHop_s = 0.01;
inline constexpr size_t kSpeechBands = 40;
inline constexpr size_t kSpeechFeatures = kSpeechBands + 2;
using FeatureFrame = std::array<float, kSpeechFeatures>;

// Frames are ordered by time; a frame does not depend on later audio. Allocates only in the
// constructor. One thread.
class SpeechFeatures {
 public:
  SpeechFeatures();

  // Takes the next kHopSamples of 16 kHz audio in -1..1 and writes the features of that time.
  void Step(absl::Span<const float> sound, FeatureFrame& features);

  // For the last frame of Step: the natural logarithm of its energy (-9: faint noise of -61 dBFS),
  // and that of the running peak, at least -4.
  double loudness() const { return loudness_; }
  double peak() const { return peak_; }

 private:
  static constexpr size_t kWindow = 400;
  static constexpr size_t kFft = 512;
  static constexpr size_t kHalf = kFft / 2;
  static constexpr size_t kBins = kHalf + 1;
  using Bands = std::array<double, kSpeechBands>;

  void Transform();
  Bands SumBands() const;
  void Normalise(const Bands& energies, FeatureFrame& features);

  std::array<double, kWindow> hann_;
  std::array<std::complex<double>, kBins> twiddle_;
  std::array<size_t, kHalf> order_{};   // of the transform's inputs
  std::array<double, kBins> bin_edge_;  // position of each bin among the bands' edges

  std::array<double, kWindow> emphasised_{};  // the newest samples
  double last_sample_ = 0;
  std::array<double, kBins> power_;

  double loudness_, peak_, level_, level_weight_, colour_weight_;
  Bands colour_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SPEECH_FEATURES_H_
