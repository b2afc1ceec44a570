// Detects syllables in a voice, and how much each stands out from those before it, by its loudness
// and length. These make most of an accent in every language; pitch, the rest, is ignored.
//
// Fricatives would be loud if treble were lifted, as it is for the network's features. So the
// loudness is that of the unfiltered audio.
#ifndef POSEWIRE_LIBS_SPEECH_SYLLABLE_TRACK_H_
#define POSEWIRE_LIBS_SPEECH_SYLLABLE_TRACK_H_

#include <array>
#include <cstddef>
#include <optional>

#include "absl/types/span.h"

namespace posewire::speech {

struct Syllable {
  double time_s = 0;     // time of its loudest moment
  float prominence = 0;  // 0: as usual; 1: above that by the usual variation of syllables; -4 to 4
};

// Takes audio of 16 kHz, 10 ms (kHopSamples) at a time. Does not allocate. One thread.
class SyllableTrack {
 public:
  // Returns the syllable that ends with these 10 ms, if any. It is detected about a tenth of a
  // second late.
  std::optional<Syllable> Step(absl::Span<const float> hop);

 private:
  // A running mean and the usual deviation from it.
  struct Usual {
    double spread;
    double mean = 0;
    bool any = false;
    float Compare(double value);
  };
  double Loudness(absl::Span<const float> hop);

  static constexpr size_t kWindow = 4, kSmooth = 5;  // hops
  std::array<double, kWindow> energies_{};
  std::array<double, kSmooth> logs_{};
  size_t hops_ = 0;
  bool rising_ = false;
  double low_ = 1e9, top_ = 0;
  size_t began_hop_ = 0, top_hop_ = 0;
  Usual loud_{1}, long_{0.07};  // logarithm of energy; seconds
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SYLLABLE_TRACK_H_
