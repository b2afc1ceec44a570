// The mouth over time from what a network hears, as viseme_track.h makes it from a voice's own
// phonemes.
//
// Each 10 ms the visemes count by their probabilities and strengths, and the mouth is the mean over
// a short while around: where the network wavers the mouth goes between, and where it is sure it
// moves as from text. Contacts of the lips are switched on and off by the outputs that were trained
// for just them, with one threshold to close and a lower one to part, so that a doubtful frame
// neither closes the lips nor opens them. What is no speech has no say in any of it.
#ifndef POSEWIRE_LIBS_SPEECH_SOUND_MOUTH_H_
#define POSEWIRE_LIBS_SPEECH_SOUND_MOUTH_H_

#include <array>
#include <cstddef>

#include "libs/speech/lip_contacts.h"
#include "libs/speech/mouth_mean.h"
#include "libs/speech/speech_network.h"
#include "libs/speech/viseme_table.h"

namespace posewire::speech {

// How likely a contact is where it begins and where it ends. Fixed on the recordings in Spanish,
// French, Italian and Russian of tools/speech_model/judging, never on English, for about 20 false
// contacts a minute in the network's outputs: there p, b and m are missed as often as lips close
// falsely, and viewers see both. Other weights want other numbers.
struct ContactThresholds {
  float begins, ends;
};
inline constexpr ContactThresholds kBilabial = {0.79f, 0.58f}, kLabiodental = {0.12f, 0.09f};

// Smooth in time; allocates nothing but for a contact of the lips. One thread.
class SoundMouth {
 public:
  // The mouth at a time depends on what is heard up to so much later.
  static constexpr double kAhead_s = 0.06;

  SoundMouth();

  // What is heard in the next 10 ms, and the logarithm of their energy (SpeechFeatures::loudness).
  void Add(const SoundFrame& heard, double loudness);
  size_t frames() const { return frames_; }

  // The mouth at t, each value in 0..1. All frames that end up to t + kAhead_s are there, and none
  // later. Times do not go back.
  MouthPose At(double t_s);

  // Whether somebody spoke in the frame that was added last.
  bool speaking() const { return speaking_; }

 private:
  // A contact that opens and closes with one output of the network.
  struct Contact {
    const Viseme& viseme;
    LipContacts::Contact* held = nullptr;
    bool likely = false;  // in the frame before
  };

  void Listen(const SoundFrame& heard, double loudness);
  float Openness(const SoundFrame& heard, double loudness);
  void Hold(float probability, float begins_at, float ends_at, Contact& contact);
  double EndOfLast() const;

  static constexpr size_t kRing = 32;  // more than the window of the mean

  size_t frames_ = 0;
  std::array<MouthMean, kRing> means_;
  std::array<float, 4> speech_{};  // how likely the last frames are speech
  bool speaking_ = false;
  int quiet_frames_ = 0;
  double usual_ = 0;   // loudness of vowels
  double vowels_ = 0;  // that count for it
  LipContacts contacts_;
  Contact bilabial_, labiodental_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SOUND_MOUTH_H_
