// Eases a pose over the jumps of its elements.
//
// An element that jumps keeps its place: the difference between its input and what was shown is
// added to the input and decays (skel::Inertia), each with its own clock. So a switch of one
// element does not disturb the eases of others, and a switch during an ease continues from what was
// shown.
//
// A guard follows, for switches in quick succession: no eased joint turns further in one frame than
// its input does plus a margin. Whatever the guard holds back is eased from there. See
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
  // the time since that pose. After a `hole` in time, velocities are unknown.
  void Run(double dt_s, bool hole, const TransitionRequests& asks, const skel::PoseSpan& pose);
  // Whether any element is being eased.
  bool active() const { return running_ != std::array<int, kElementRows>{}; }

  // The next pose passes as it is, like the first one.
  void Forget();
  // The next pose follows `shown`, a pose of the rig's size with every element.
  void StartFrom(const skel::PoseView& shown);
  // Takes over the eases in progress from another of the same size.
  void Adopt(const Ease& old);

 private:
  // A difference to the input, and how much of it is left.
  struct Vector {
    skel::Vec3 way;
    skel::Inertia inertia;
  };
  struct Scalar {
    float way = 0;
    skel::Inertia inertia;
  };
  // What was shown. Places and scales are mostly at rest: those that never left rest are not
  // written, because writing memory that many avatars take turns in is expensive.
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
  int ticks_ = 0;    // of what was shown, 0 to 2
  double dt_s_ = 0;  // between the two
  std::array<int, kElementRows> running_{};
  std::array<std::vector<Vector>, 3> vectors_;  // by row
  std::vector<Scalar> weights_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_EASE_H_
