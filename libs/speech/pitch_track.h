// Follows the pitch of a voice: the lag at which the sound resembles itself most.
//
// Audio below 1 kHz is compared with itself up to 1/60 s earlier (normalised cross-correlation;
// Talkin, "A Robust Algorithm for Pitch Tracking", 1995). Of lags that are nearly as good, the
// shortest counts, so that a voice is not taken for one an octave lower.
#ifndef POSEWIRE_LIBS_SPEECH_PITCH_TRACK_H_
#define POSEWIRE_LIBS_SPEECH_PITCH_TRACK_H_

#include <array>
#include <cstddef>
#include <optional>

#include "absl/types/span.h"
#include "libs/speech/biquad.h"

namespace posewire::speech {

struct Pitch {
  float semitones = 0;    // above 100 Hz; -9 to 28
  float periodicity = 0;  // 1: each period is like the one before; of voices usually over 0.6
};

// Does not allocate. One thread.
class PitchTrack {
 public:
  // Takes the next 10 ms (kHopSamples of 16 kHz audio in -1..1), and returns the pitch of the last
  // 30 ms; nothing in silence, or if no lag stands out.
  std::optional<Pitch> Step(absl::Span<const float> hop);

 private:
  static constexpr size_t kEvery = 4;  // samples kept at 4 kHz
  static constexpr size_t kFrom = 8, kTo = 66;
  static constexpr size_t kWindow = 120;
  static constexpr size_t kKept = kWindow + kTo + 1;

  std::optional<Pitch> Find() const;

  Biquad first_ = Biquad::LowPass(1000), second_ = Biquad::LowPass(1000);
  size_t phase_ = 0;
  std::array<double, kKept> sound_{};  // the oldest first
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_PITCH_TRACK_H_
