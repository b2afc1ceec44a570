// What a node needs to ease over its discontinuities: the poses that it showed, an inertialiser,
// and a guard.
//
// To remember each pose costs a copy at each tick. A node that passes on what is below it need not
// call Run, but must then fill the memory before it jumps (Node::Recall).
//
// The inertialiser (skel::Inertializer) adds the decaying difference. The guard then keeps every
// joint from turning further in one frame than the input's own step plus a margin, for the rare
// case of several transitions at once; what it holds back is caught up with within the next frames.
// Away from transitions the input passes unchanged, however fast it moves.
//
// One avatar, one thread. Only the constructor allocates.
#ifndef POSEWIRE_LIBS_GRAPH_TRANSITION_H_
#define POSEWIRE_LIBS_GRAPH_TRANSITION_H_

#include <array>
#include <cstdint>
#include <vector>

#include "libs/graph/shown.h"
#include "libs/skel/inertializer.h"
#include "libs/skel/pose.h"

namespace posewire::graph {

class Transition {
 public:
  // Over the joints first..first + joints of a rig (see Part), and all shapes. `rest` as for Shown.
  Transition(int joints, int shapes, double duration_s, int first = 0,
             const skel::PoseView& rest = {});

  // Eases `pose`, which is this tick's input, in place. With `jump` a transition starts here, over
  // the elements that `only` has (null: all). The first pose ever passes as it is. Shapes may take
  // another time than joints (0: the same).
  void Run(double dt_s, bool jump, const skel::PoseView* only, const skel::PoseSpan& pose,
           double shapes_duration_s = 0);
  void set_duration_s(double duration_s) { duration_s_ = duration_s; }
  // The next pose passes as it is, like the first one.
  void Forget() {
    inertializer_.Stop();
    shown_.Forget();
    guard_left_s_ = 0;
    has_input_ = false;
  }
  // While this holds, each pose must go through Run.
  bool active() const { return inertializer_.active() || guard_left_s_ > 0; }

  // The memory.
  Shown& shown() { return shown_; }
  const Shown& shown() const { return shown_; }

 private:
  // What came in, of what the guard compares: rotations (w, x, y, z, each of all joints) and
  // weights.
  struct Input {
    void CopyFrom(const skel::PoseView& pose);
    skel::Quat rotation(int j) const;

    std::vector<float> rotations, weights;
    std::vector<uint8_t> has_r, has_w;
  };

  void Start(const skel::PoseView* only, const skel::PoseView& target, double shapes_duration_s);
  void Bound(const skel::PoseSpan& pose) const;
  // True where it held something back.
  bool Guard(double dt_s, const skel::PoseSpan& pose);

  double duration_s_;
  skel::Inertializer inertializer_;
  Shown shown_;
  // Inputs of this tick and the one before while a transition runs; rotations and weights alone.
  std::array<Input, 2> inputs_;
  size_t now_ = 0;
  std::vector<uint8_t> only_;  // presence of what a transition starts over
  bool has_input_ = false;
  double guard_left_s_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_TRANSITION_H_
