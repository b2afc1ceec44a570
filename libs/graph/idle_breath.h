// Irregular breathing, coordinated with speech: in quickly before a phrase and in its pauses, out
// slowly during it (Winkworth, Davis, Adams and Ellis, "Breathing patterns during spontaneous
// speech", 1995; McFarland, "Respiratory markers of conversational interaction", 2001).
#ifndef POSEWIRE_LIBS_GRAPH_IDLE_BREATH_H_
#define POSEWIRE_LIBS_GRAPH_IDLE_BREATH_H_

#include "libs/random/random.h"

namespace posewire::graph {

// One thread; no allocation.
class IdleBreath {
 public:
  IdleBreath() = default;
  // Starts partway through a breath. Draws one number from `rng` as a seed, and uses its own
  // generator.
  explicit IdleBreath(Random& rng);

  // `speaks`: the avatar speaks, or pauses no longer than within a phrase; `soon`: it is about to.
  void Step(float dt_s, bool speaks, bool soon);
  // 0 out, 1 in; a sigh goes up to 1.7.
  float value() const { return shown_; }

 private:
  enum Phase { kIn, kOut, kRest };
  void Go(Phase phase, float to, float length_s);
  struct Range {
    float least, most;
  };
  static constexpr Range kExhaled{0, 0.12f}, kAlongWords_s{3, 5.5f};
  // Draws `to` and the length from these ranges.
  void Go(Phase phase, Range to, Range length_s);
  void Next(bool speaks);

  Random random_{1};
  Phase phase_ = kRest;
  float from_ = 0, to_ = 0, length_s_ = 1, t_s_ = 0;
  float at_ = 0, shown_ = 0;
  bool spoke_ = false, soon_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_IDLE_BREATH_H_
