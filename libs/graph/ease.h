// Smooths jumps of a pose's elements.
//
// An element that jumps initially keeps its value: the difference between its input and the shown
// value is added to the input and decays (skel::Inertia), with a separate time course for each
// element. A switch of one element therefore does not disturb the easing of others, and a switch
// during easing continues from the shown value.
//
// A guard follows, for switches in quick succession: no eased joint rotates further in one frame
// than its input does plus a margin. Whatever the guard holds back is eased from there. See
// docs/adr/0004-inertialisation.md and 0031-one-place-that-eases.md.
#ifndef POSEWIRE_LIBS_GRAPH_EASE_H_
#define POSEWIRE_LIBS_GRAPH_EASE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "libs/graph/transition_requests.h"
#include "libs/skel/inertia.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

// One avatar, one thread. Only the constructor allocates.
class Ease {
 public:
  explicit Ease(std::shared_ptr<const skel::Rig> rig);

  // Eases `pose` in place; it must have every element. Elements asked for are eased where they jump
  // from the previous pose; elements neither asked for nor under way pass bit for bit. `dt_s` is
  // the time since that pose. After a `gap` in time, velocities are unknown.
  void Run(double dt_s, bool gap, const TransitionRequests& asks, const skel::PoseSpan& pose);
  // Whether any element is being eased.
  bool active() const { return running_ != std::array<int, kElementRows>{}; }

  // The next pose passes unchanged, like the first one.
  void Forget();
  // The next pose continues from `shown`, a pose of the rig's size with every element.
  void StartFrom(const skel::PoseView& shown);
  // Takes over easing in progress from another object of the same size.
  void Adopt(const Ease& old);

 private:
  // A difference to the input, and its remaining fraction.
  struct Vector {
    skel::Vec3 way;
    skel::Inertia inertia;
  };
  struct Scalar {
    float way = 0;
    skel::Inertia inertia;
  };
  // The shown pose. Translations and scales are mostly at rest; those that never left rest are not
  // written, because writing memory that many avatars use in turn is expensive.
  struct Shown {
    std::vector<float> floats;
    skel::PoseSpan rows;  // without presence
    std::array<uint64_t, 2> moved{};
  };
  struct Tick;

  const skel::PoseSpan& shown() const { return shown_[newest_].rows; }
  const skel::PoseSpan& before() const { return shown_[1 - newest_].rows; }
  void Keep(double dt_s, const skel::PoseView& pose);
  // Each returns how many elements are being eased.
  int EaseTurns(const Tick& tick, const skel::PoseSpan& pose);
  int EaseMoves(const Tick& tick, size_t row, const skel::PoseSpan& pose);
  int EaseWeights(const Tick& tick, const skel::PoseSpan& pose);

  std::shared_ptr<const skel::Rig> rig_;
  std::array<Shown, 2> shown_;
  size_t newest_ = 0;
  int ticks_ = 0;    // number of shown poses, 0 to 2
  double dt_s_ = 0;  // between the two
  std::array<int, kElementRows> running_{};
  std::array<std::vector<Vector>, 3> vectors_;  // by row
  std::vector<Scalar> weights_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_EASE_H_
