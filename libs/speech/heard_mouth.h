// Computes the mouth of a voice without phoneme times from its audio, parallel to the phonemes'
// track (viseme_track.h).
#ifndef POSEWIRE_LIBS_SPEECH_HEARD_MOUTH_H_
#define POSEWIRE_LIBS_SPEECH_HEARD_MOUTH_H_

#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "libs/speech/hearing.h"
#include "libs/speech/sound_mouth.h"

namespace posewire::speech {

// Takes all samples of a time line, with silence where the other track moves the lips. Silence
// follows the last sample. One thread.
class HeardMouth {
 public:
  // The mouth at a time depends on audio up to this much later.
  static constexpr double kLookahead_s = 0.145;

  HeardMouth(std::shared_ptr<const SpeechNetwork> network, int rate_hz)
      : hearing_(std::move(network), rate_hz) {}

  void Add(absl::Span<const int16_t> samples) { hearing_.Add(samples); }
  int64_t samples() const { return hearing_.samples(); }

  // Returns the mouth at t, each value in 0..1. Times must not decrease.
  MouthPose At(double t_s) {
    while (static_cast<double>(mouth_.frames()) * kHop_s + 1e-9 < t_s + SoundMouth::kAhead_s) {
      const HeardStep* step = hearing_.Next(/*pad=*/true);
      if (step->frame != nullptr) mouth_.Add(*step->frame, step->frame_loudness);
    }
    return mouth_.At(t_s);
  }

 private:
  Hearing hearing_;
  SoundMouth mouth_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_HEARD_MOUTH_H_
