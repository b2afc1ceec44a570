// Breath that is never regular, and goes with speech: in quickly before a phrase and in its pauses,
// out slowly along it (Winkworth, Davis, Adams and Ellis, "Breathing patterns during spontaneous
// speech", 1995; McFarland, "Respiratory markers of conversational interaction", 2001).
#ifndef POSEWIRE_LIBS_GRAPH_IDLE_BREATH_H_
#define POSEWIRE_LIBS_GRAPH_IDLE_BREATH_H_

#include "libs/random/random.h"

namespace posewire::graph {

// One thread; no allocation.
class IdleBreath {
 public:
  IdleBreath() = default;
  // Starts somewhere in a breath. Draws of its own: whoever shares `rng` draws one number less.
  explicit IdleBreath(Random& rng);

  // `speaks`: a voice is there, or pauses no longer than within a phrase; `soon`: one is about to.
  void Step(float dt_s, bool speaks, bool soon);
  // 0 out, 1 in; a sigh goes up to 1.7.
  float value() const { return shown_; }

 private:
  enum Phase { kIn, kOut, kRest };
  void Go(Phase phase, float to, float length_s);
  void Next(bool speaks);

  Random random_{1};
  Phase phase_ = kRest;
  float from_ = 0, to_ = 0, length_s_ = 1, t_s_ = 0;
  float at_ = 0, shown_ = 0;
  bool spoke_ = false, soon_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_IDLE_BREATH_H_
