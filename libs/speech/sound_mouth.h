// Computes the mouth over time from the network's output, in the way that viseme_track.h does from
// a voice's own phonemes.
//
// Every 10 ms the visemes are weighted by their probabilities and strengths, and the mouth is the
// mean over a short window: where the network is uncertain, the mouth is between targets, and where
// it is sure, it moves as from text. Lip contacts are switched by the outputs trained for them,
// with one threshold to close and a lower one to open, so that an uncertain frame neither closes
// nor opens the lips. Sounds other than speech have no effect.
#ifndef POSEWIRE_LIBS_SPEECH_SOUND_MOUTH_H_
#define POSEWIRE_LIBS_SPEECH_SOUND_MOUTH_H_

#include <array>
#include <cstddef>

#include "libs/speech/lip_contacts.h"
#include "libs/speech/mouth_mean.h"
#include "libs/speech/speech_network.h"
#include "libs/speech/viseme_table.h"

namespace posewire::speech {

// Probabilities of a contact at which it begins and ends. Fixed on the Spanish, French, Italian and
// Russian recordings of tools/speech_model/judging, never on English, for about 20 false contacts a
// minute in the network's outputs: there p, b and m are missed as often as lips close falsely, and
// viewers notice both. Other weights need other numbers.
struct ContactThresholds {
  float begins, ends;
};
inline constexpr ContactThresholds kBilabial = {0.79f, 0.58f}, kLabiodental = {0.12f, 0.09f};

// Smooth in time. Allocates only for lip contacts. One thread.
class SoundMouth {
 public:
  // The mouth at a time depends on audio up to this much later.
  static constexpr double kAhead_s = 0.06;

  SoundMouth();

  // Adds the network's output for the next 10 ms, and the logarithm of their energy
  // (SpeechFeatures::loudness).
  void Add(const SoundFrame& heard, double loudness);
  size_t frames() const { return frames_; }

  // Returns the mouth at t, each value in 0..1. All frames that end up to t + kAhead_s must have
  // been added, and no later ones. Times must not decrease.
  MouthPose At(double t_s);

  // Returns true if there was speech in the last frame.
  bool speaking() const { return speaking_; }

 private:
  // A contact that follows one output of the network.
  struct Contact {
    const Viseme& viseme;
    LipContacts::Contact* held = nullptr;
    bool likely = false;  // in the previous frame
  };

  void Listen(const SoundFrame& heard, double loudness);
  float Openness(const SoundFrame& heard, double loudness);
  void Hold(float probability, float begins_at, float ends_at, Contact& contact);
  double EndOfLast() const;

  static constexpr size_t kRing = 32;  // more than the mean's window

  size_t frames_ = 0;
  std::array<MouthMean, kRing> means_;
  std::array<float, 4> speech_{};  // probability of speech in the last frames
  bool speaking_ = false;
  int quiet_frames_ = 0;
  double usual_ = 0;   // loudness of vowels
  double vowels_ = 0;  // number of vowels included in it
  LipContacts contacts_;
  Contact bilabial_, labiodental_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SOUND_MOUTH_H_
