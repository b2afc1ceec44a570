// What the network hears of a sound: the colour of its spectrum and how loud it is, each 10 ms.
//
// A frame's power spectrum is summed to 40 bands on the mel scale, as the ear has them, and taken
// as logarithms. What the speaker and the microphone bring along, level and colour, is taken off by
// running means that only what sounds can move, so that a voice looks alike over any line, and
// silence stays silent. tools/speech_model/training/features.py is the specification, number by
// number; the network was trained on what that file makes.
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

// Frames in order of time; a frame knows nothing of what comes after it. Allocates nothing after
// it is made. One thread.
class SpeechFeatures {
 public:
  SpeechFeatures();

  // Takes the next kHopSamples of 16 kHz sound in -1..1 and gives the features of that time.
  void Step(absl::Span<const float> sound, FeatureFrame& features);

  // Of the frame that Step took last: the natural logarithm of its energy (-9: faint noise of -61
  // dBFS), and that of the running peak, -4 or more.
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
  std::array<double, kBins> bin_edge_;  // where each bin stands among the bands' edges

  std::array<double, kWindow> emphasised_{};  // the newest samples
  double last_sample_ = 0;
  std::array<double, kBins> power_;

  double loudness_, peak_, level_, level_weight_, colour_weight_;
  Bands colour_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SPEECH_FEATURES_H_
