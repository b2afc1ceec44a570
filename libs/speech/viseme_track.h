// The mouth over time: phonemes become targets that overlap and blend.
//
// Nobody's mouth stops at each sound: it is still leaving one when it starts for the next, and the
// lips round for a w while the t before it sounds. This is coarticulation, and it is done after the
// idea of dominance functions (Cohen and Massaro 1993, "Modeling coarticulation in synthetic visual
// speech"): each target has a window that opens before its phoneme and closes after it, and the
// mouth is the mean of the targets weighted by window and strength. A short or weak phoneme so
// bends the movement instead of interrupting it. Where lips must meet they are drawn together on
// top of it (lip_contacts.h).
#ifndef POSEWIRE_LIBS_SPEECH_VISEME_TRACK_H_
#define POSEWIRE_LIBS_SPEECH_VISEME_TRACK_H_

#include <deque>

#include "absl/types/span.h"
#include "libs/speech/lip_contacts.h"
#include "libs/speech/viseme_table.h"
#include "libs/speech/voice.h"

namespace posewire::speech {

// Smooth in time. One thread.
class VisemeTrack {
 public:
  // The mouth at a time depends on phonemes up to so much later.
  static constexpr double kLookahead_s = 0.3;

  VisemeTrack();

  // Appends a piece that starts at `start_s`, at or after the end of the one before. Its loudness
  // opens the mouth a little more or less.
  void Add(const SpeechPiece& piece, double start_s);

  // The mouth at t, each value in 0..1. Times never go back by more than a frame.
  MouthPose At(double t_s) const;

  // Forgets what ends too early to matter at t and later.
  void DropBefore(double t_s);

 private:
  struct Target {
    const Viseme* viseme;
    double start_s, end_s;
    float openness;  // scales jaw and lip opening
    float strength;  // less for what is too short to be reached
  };

  void AddTarget(const Viseme& viseme, double start_s, double end_s, float openness);
  MouthPose Blend(double t_s) const;

  std::deque<Target> targets_;
  LipContacts contacts_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_VISEME_TRACK_H_
