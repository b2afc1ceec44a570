// What a node needs to ease over its discontinuities: the poses that it showed, an inertialiser,
// and a guard.
//
// The inertialiser (skel::Inertializer) adds the decaying difference. The guard then keeps every
// joint from turning further in one frame than the input's own step plus a margin, for the rare
// case of several transitions at once; what it holds back is caught up with within the next frames.
// Away from transitions the input passes unchanged, however fast it moves.
//
// One avatar, one thread. Only the constructor allocates.
#ifndef POSEWIRE_LIBS_GRAPH_TRANSITION_H_
#define POSEWIRE_LIBS_GRAPH_TRANSITION_H_

#include <cstdint>
#include <vector>

#include "libs/skel/inertializer.h"
#include "libs/skel/pose.h"

namespace posewire::graph {

class Transition {
 public:
  Transition(int joints, int shapes, double duration_s);

  // Eases `pose`, which is this tick's input, in place. With `jump` a transition starts here, over
  // the elements that `only` has (null: all). The first pose ever passes as it is. Shapes may take
  // another time than joints (0: the same).
  void Run(double dt_s, bool jump, const skel::PoseView* only, const skel::PoseSpan& pose,
           double shapes_duration_s = 0);
  void set_duration_s(double duration_s) { duration_s_ = duration_s; }
  // The next pose passes as it is, like the first one.
  void Forget() {
    inertializer_.Stop();
    ticks_ = 0;
    guard_left_s_ = 0;
    has_input_ = false;
  }
  bool active() const { return inertializer_.active() || guard_left_s_ > 0; }

 private:
  void Bound(const skel::PoseSpan& pose) const;
  void Guard(double dt_s, const skel::PoseSpan& pose);

  double duration_s_;
  skel::Inertializer inertializer_;
  skel::Pose shown_[2];        // [0] the newest
  skel::Pose input_;           // of the tick before, while a transition runs
  std::vector<uint8_t> only_;  // presence of what a transition starts over
  bool has_input_ = false;
  int ticks_ = 0;
  double shown_dt_s_ = 0;
  double guard_left_s_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_TRANSITION_H_
