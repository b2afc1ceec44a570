// Estimates the mood in a voice from how it sounds, whatever it says and in any language.
//
// Excited voices are higher, move their pitch faster, and have more of their energy above 1 kHz;
// calm and sad ones less (Juslin and Laukka, "Communication of Emotions in Vocal Expression", 2003;
// Eyben et al., "The Geneva Minimalistic Acoustic Parameter Set", 2016). Arousal is the mean of
// these three, each compared with a usual voice and, the more is heard, with the speaker's own.
// Nothing was trained: the numbers are round ones.
//
// Valence is hard to hear: anger and joy differ little. Voices in a good mood are voiced for
// longer, have less hiss, and spread their pitch further; the estimate stays small because it is
// often wrong. docs/evidence/speech-accuracy.md says how good both are.
#ifndef POSEWIRE_LIBS_SPEECH_VOICE_MOOD_H_
#define POSEWIRE_LIBS_SPEECH_VOICE_MOOD_H_

#include <array>
#include <cstddef>

#include "absl/types/span.h"
#include "libs/speech/biquad.h"
#include "libs/speech/pitch_track.h"

namespace posewire::speech {

struct Mood {
  float arousal = 0;  // -1 (tired) to 1 (excited)
  float valence = 0;  // -1 (bad) to 1 (good)
};

// Does not allocate. One thread.
class VoiceMood {
 public:
  VoiceMood();

  // Takes the next 10 ms (kHopSamples of 16 kHz audio in -1..1), and whether there is speech.
  void Step(absl::Span<const float> hop, bool speaking);

  // The mood of the last 2 s of speech; after a pause of a second it approaches neutral, from which
  // the voice begins again.
  const Mood& mood() const { return mood_; }

 private:
  // What is measured.
  enum Measure : size_t { kPitch, kTilt, kMoves, kHiss, kVoiced, kSpread, kMeasures };
  using Measures = std::array<double, kMeasures>;

  void Hear(const Measures& now, bool voiced);
  void Forget();
  void Judge();
  // What is usual of the speaker, as far as known.
  double Usually(Measure measure) const;
  // How far a measure is from usual, in standard deviations.
  double Off(Measure measure) const;

  Biquad low_ = Biquad::LowPass(1000), above_ = Biquad::HighPass(1000);
  Biquad middle_ = Biquad::LowPass(4000), high_ = Biquad::HighPass(4000);
  PitchTrack pitch_;
  double loudest_db_ = -60;
  double last_pitch_ = 0;
  bool was_voiced_ = false;
  double pause_s_ = 0;
  double fresh_s_ = 0;  // length of the voice in now_
  double heard_s_ = 0;  // length of the voice heard so far
  Measures now_, speaker_;
  Mood mood_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_VOICE_MOOD_H_
