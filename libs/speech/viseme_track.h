// The mouth over time: phonemes become targets that overlap and blend.
//
// A mouth does not stop at each sound: it is still leaving one when it starts for the next, and the
// lips round for a w during the t before it. This is coarticulation, modelled after dominance
// functions (Cohen and Massaro 1993, "Modeling coarticulation in synthetic visual speech"): each
// target has a window that opens before its phoneme and closes after it, and the mouth is the mean
// of the targets weighted by window and strength. So a short or weak phoneme bends the movement
// instead of interrupting it. Lips that must meet are closed in addition (lip_contacts.h).
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
  // The mouth at a time depends on phonemes up to this much later.
  static constexpr double kLookahead_s = 0.3;

  VisemeTrack();

  // Appends a piece that starts at `start_s`, at or after the end of the previous one. Its loudness
  // opens the mouth a little more or less.
  void Add(const SpeechPiece& piece, double start_s);

  // Returns the mouth at t, each value in 0..1. Times must not decrease by more than a frame.
  MouthPose At(double t_s) const;

  // Removes targets that end too early to affect t and later times.
  void DropBefore(double t_s);

 private:
  struct Target {
    const Viseme* viseme;
    double start_s, end_s;
    float openness;  // scales jaw and lip opening
    float strength;  // less for phonemes too short to be reached
  };

  void AddTarget(const Viseme& viseme, double start_s, double end_s, float openness);
  MouthPose Blend(double t_s) const;

  std::deque<Target> targets_;
  LipContacts contacts_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_VISEME_TRACK_H_
