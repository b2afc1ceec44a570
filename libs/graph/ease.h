// Eases a pose over the jumps of its elements.
//
// An element that jumps keeps its place: the difference from its input to what was shown is added
// to the input and decays (skel::Inertia), each with a clock of its own. So a switch here leaves
// alone what is eased there, and one during another goes on from what was shown.
//
// A guard stands behind it, for switches that follow each other: no eased joint turns further in
// one frame than its input does plus a margin. What it holds back is eased from there. See
// docs/adr/0004-inertialisation.md and 0031-one-place-that-eases.md.
#ifndef POSEWIRE_LIBS_GRAPH_EASE_H_
#define POSEWIRE_LIBS_GRAPH_EASE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "libs/graph/ease_asks.h"
#include "libs/skel/inertia.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

// One avatar, one thread. Only the constructor allocates.
class Ease {
 public:
  explicit Ease(std::shared_ptr<const skel::Rig> rig);

  // Eases `pose` in place, which says every element. What is asked for is eased where it jumps from
  // the pose before; what is neither asked for nor under way passes bit for bit. `dt_s` is the time
  // since that pose. After a `hole` in time nothing is known of velocities.
  void Run(double dt_s, bool hole, const EaseAsks& asks, const skel::PoseSpan& pose);
  // Whether an element is under way.
  bool active() const { return running_ != std::array<int, kElementRows>{}; }

  // What comes next passes as it is, like the first pose.
  void Forget();
  // What comes next follows `shown`, a pose of the rig's size that says every element.
  void StartFrom(const skel::PoseView& shown);
  // Goes on with what another one of the same size does.
  void Adopt(const Ease& old);

 private:
  // A difference to the input, and what is left of it.
  struct Vector {
    skel::Vec3 way;
    skel::Inertia inertia;
  };
  struct Scalar {
    float way = 0;
    skel::Inertia inertia;
  };
  // What was shown. Places and scales are mostly those at rest: what was never elsewhere is not
  // written, for memory that many avatars take turns in is dear.
  struct Shown {
    std::vector<float> floats;
    skel::PoseSpan rows;  // without presence
    std::array<uint64_t, 2> moved{};
  };
  struct Tick;

  const skel::PoseSpan& shown() const { return shown_[newest_].rows; }
  const skel::PoseSpan& before() const { return shown_[1 - newest_].rows; }
  void Keep(double dt_s, const skel::PoseView& pose);
  // Each gives how many elements are under way.
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
