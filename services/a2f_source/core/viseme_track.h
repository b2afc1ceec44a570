// The mouth over time: phonemes become targets that overlap and blend.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VISEME_TRACK_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VISEME_TRACK_H_

#include <deque>

#include "absl/types/span.h"
#include "services/a2f_source/core/speech_engine.h"
#include "services/a2f_source/core/viseme_table.h"

namespace posewire::a2f_source {

// Co-articulation after the idea of dominance functions (Cohen and Massaro 1993): each target has a
// window that opens before its phoneme and closes after it, and the mouth is the mean of the
// targets weighted by window and strength, so that a short or weak phoneme bends the movement
// instead of interrupting it. Lips that must meet are drawn together on top of that. Everything is
// smooth in time. One thread.
class VisemeTrack {
 public:
  // The mouth at a time depends on segments up to so much later.
  static constexpr double kLookahead_s = 0.3;

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
  void DrawLipsTogether(double t_s, MouthPose& pose) const;

  std::deque<Target> targets_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VISEME_TRACK_H_
