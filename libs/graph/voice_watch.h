// Detects from a source's mouth shapes when the avatar speaks, and how accented the moment is.
//
// A source sends face shapes but no loudness. The opening of the jaw correlates with the energy of
// the vowels, so its slow part follows the accents (Yehia, Rubin and Vatikiotis-Bateson,
// "Quantitative association of vocal-tract and facial behavior", Speech Communication 26, 1998).
#ifndef POSEWIRE_LIBS_GRAPH_VOICE_WATCH_H_
#define POSEWIRE_LIBS_GRAPH_VOICE_WATCH_H_

#include "libs/graph/node.h"

namespace posewire::graph {

// One avatar, one thread; no allocation. A source that does not move jawOpen counts as silent.
class VoiceWatch {
 public:
  // The shape jawOpen in the rig of the sources; -1: always silent.
  explicit VoiceWatch(int jaw_shape) : jaw_(jaw_shape) {}

  void Step(const Inputs* inputs, float dt_s);
  // Returns whether the avatar speaks, or pauses no longer than within a phrase.
  bool speaks() const { return quiet_s_ < kPause_s; }
  // Loudness compared with the recent past, about -0.3 to 0.6; 0 in silence.
  float accent() const { return accent_; }

 private:
  static constexpr float kPause_s = 0.25f;

  int jaw_;
  float widest_ = 0;           // recently
  float quiet_s_ = 10;         // time since the mouth was open
  float fast_ = 0, open_ = 0;  // smoothed once and twice
  float mean_ = 0, accent_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_VOICE_WATCH_H_
