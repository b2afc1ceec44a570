// Syllables in a voice, and how much each stands out among those before it: by how loud it is and
// how long. That is most of what an accent is, in every language; pitch, which is the rest, is left
// out.
//
// Fricatives are loud where treble is lifted, as it is for the network's features; so the loudness
// is that of the sound as it is.
#ifndef POSEWIRE_LIBS_SPEECH_SYLLABLE_TRACK_H_
#define POSEWIRE_LIBS_SPEECH_SYLLABLE_TRACK_H_

#include <array>
#include <cstddef>
#include <optional>

#include "absl/types/span.h"

namespace posewire::speech {

struct Syllable {
  double time_s = 0;     // of its loudest moment
  float prominence = 0;  // 0: as usual; 1: by as much as syllables usually differ; -4 to 4
};

// Sound of 16 kHz, 10 ms (kHopSamples) at a time. Allocates nothing. One thread.
class SyllableTrack {
 public:
  // The syllable that these 10 ms end, if any: it is known about a tenth of a second after it.
  std::optional<Syllable> Step(absl::Span<const float> hop);

 private:
  // A running mean and the usual distance from it.
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
