// Small motions of a raised hand while the avatar speaks, so that it is never completely still.
//
// Upper arm, forearm, wrist and fingers drift slowly and independently, and wrist and forearm beat
// with the accents of the voice (batons: Efron, "Gesture and Environment", 1941; McNeill, "Hand and
// Mind", 1992).
#ifndef POSEWIRE_LIBS_GRAPH_ARM_LIFE_H_
#define POSEWIRE_LIBS_GRAPH_ARM_LIFE_H_

#include <array>

#include "libs/graph/body_parts.h"
#include "libs/graph/drift.h"
#include "libs/random/random.h"
#include "libs/skel/pose.h"

namespace posewire::graph {

// The arms of any rig with hands; missing joints are skipped. Immutable.
struct ArmAxes {
  explicit ArmAxes(const BodyParts& parts);

  struct Arm {
    int upper = -1, fore = -1, hand = -1;
    std::array<int, 8> fingers{};  // base and middle joints of index to little finger; -1: none
    // Unit axes in the joints' own space: the arm rises to the front and to the side, the elbow
    // bends, the forearm twists, the wrist bends towards the palm.
    skel::Vec3 front, side, bend, twist, flex;
    std::array<skel::Vec3, 8> curl;
  };
  std::array<Arm, 2> arms;  // left, right
};

// One avatar, one thread; no allocation.
class ArmLife {
 public:
  // Advances the drifts. The first call seeds them from `rng`, whose state does not change.
  void Step(const Random& rng, float dt_s);
  // Adds the motion, scaled by `amount` (0..1), to an arm (0 left, 1 right). `accent` is
  // VoiceWatch::accent().
  void Add(const ArmAxes& axes, size_t arm, float amount, float accent,
           const skel::PoseSpan& pose) const;

 private:
  static constexpr size_t kDrifts = 4;

  bool started_ = false;
  Random random_{1};
  std::array<std::array<Drift, kDrifts>, 2> drifts_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_ARM_LIFE_H_
