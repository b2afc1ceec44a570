// Hears from a source's mouth when the avatar speaks and how much weight a moment has.
//
// A source sends shapes of a face and no loudness. How far the jaw opens goes with the energy of
// the vowels, so that its slow part follows the accents (Yehia, Rubin and Vatikiotis-Bateson,
// "Quantitative association of vocal-tract and facial behavior", Speech Communication 26, 1998).
#ifndef POSEWIRE_LIBS_GRAPH_VOICE_WATCH_H_
#define POSEWIRE_LIBS_GRAPH_VOICE_WATCH_H_

#include "libs/graph/node.h"

namespace posewire::graph {

// One avatar, one thread; no allocation. A source that moves no jawOpen counts as silent.
class VoiceWatch {
 public:
  // The shape jawOpen of the rig in which sources come; -1 hears nothing.
  explicit VoiceWatch(int jaw_shape) : jaw_(jaw_shape) {}

  void Step(const Inputs* inputs, float dt_s);
  // Speaks, or pauses no longer than within a phrase.
  bool speaks() const { return quiet_s_ < kPause_s; }
  // How much louder than of late, about -0.3 to 0.6; 0 in silence.
  float accent() const { return accent_; }

 private:
  static constexpr float kPause_s = 0.25f;

  int jaw_;
  float widest_ = 0;           // of late
  float quiet_s_ = 10;         // since the mouth was open
  float fast_ = 0, open_ = 0;  // smoothed once and twice
  float mean_ = 0, accent_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_VOICE_WATCH_H_
