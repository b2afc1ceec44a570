// Small steps of a standing person: a foot without weight is moved.
#ifndef POSEWIRE_LIBS_GRAPH_IDLE_FEET_H_
#define POSEWIRE_LIBS_GRAPH_IDLE_FEET_H_

#include <array>

#include "libs/gesture/body.h"
#include "libs/graph/small_math.h"
#include "libs/random/random.h"

namespace posewire::graph {

// A foot rises by two or three centimetres, heel first, and comes down a few centimetres away,
// never farther than kMost_m from its rest place. It moves over the ground only while it is lifted.
// One thread; no allocation.
class IdleFeet {
 public:
  static constexpr float kMost_m = 0.04f;

  IdleFeet() = default;
  explicit IdleFeet(Random& rng);

  // `weight`: -1 on the right foot, 1 on the left one. `settled`: the weight is not moving at
  // present. Returns true when a step begins.
  bool Step(float dt_s, float weight, bool settled);
  // Left, right.
  const std::array<gesture::FootMove, 2>& feet() const { return feet_; }
  // Middle between the feet on the ground, relative to its rest place.
  skel::Vec3 middle() const { return Flat((feet_[0].by + feet_[1].by) * 0.5f); }

 private:
  Random random_{1};
  std::array<gesture::FootMove, 2> feet_{};
  gesture::FootMove from_, to_;
  int steps_ = -1;  // the stepping foot: 0, 1
  float t_ = 0, length_s_ = 1, wait_s_ = 8;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_IDLE_FEET_H_
