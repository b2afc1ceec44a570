// Eases a node's pose over what its inputs do suddenly.
#ifndef POSEWIRE_LIBS_GRAPH_SWITCH_EASE_H_
#define POSEWIRE_LIBS_GRAPH_SWITCH_EASE_H_

#include <cstdint>
#include <vector>

#include "libs/graph/presence.h"
#include "libs/graph/transition.h"
#include "libs/graph/turn_watch.h"
#include "libs/skel/pose.h"

namespace posewire::graph {

// A weight that moves further than this in a 30th of a second is a switch, and is eased like one.
inline constexpr double kWeightSwitch = 0.2;
// Whether a weight that went from `before` to `now` within dt_s did so by a switch.
inline bool IsSwitch(double before, double now, double dt_s) {
  const double way = now > before ? now - before : before - now;
  return way > kWeightSwitch * (dt_s > 1.0 / 30 ? dt_s * 30 : 1);
}

// An element that appears in an input, or goes away from it, makes the mix jump there: that element
// is eased (see Transition). All of them are, on demand. Away from that the pose passes unchanged.
//
// One avatar, one thread. Only the constructor allocates.
class SwitchEase {
 public:
  // `rest` as for Shown.
  SwitchEase(int joints, int shapes, int inputs, double duration_s,
             const skel::PoseView& rest = {});

  // In each Update of the node: after a tick without Run nothing is eased, for nothing was seen.
  void Begin();
  // What an input has at this tick. An input that is not seen is not noted.
  void Note(int input, const skel::PoseView& pose);
  // After the notes, where `pose` lies between inputs: joints that change sides are eased, too.
  void WatchMix(double dt_s, const skel::PoseView& pose);
  // One element switches here: row 0 translations, 1 rotations, 2 scales, 3 shapes.
  void Mark(size_t row, size_t element);
  // After all that: eases `pose`, which the inputs made; with `jump` all of it switches here.
  void Run(double dt_s, bool jump, const skel::PoseSpan& pose);

  // A node that remembers otherwise need not call the above while nothing is eased: Forget, and
  // fill the memory, before it begins again.
  void Forget();
  // After the notes: whether Run would change nothing.
  bool calm() const { return !jump_ && !transition_.active(); }

  // For Node::Recall of its node.
  const Shown& shown() const { return transition_.shown(); }
  Shown& shown() { return transition_.shown(); }

 private:
  Transition transition_;
  Presence mask_;  // what the transition that runs eases
  std::vector<Presence> seen_;
  std::vector<uint8_t> noted_;  // per input
  TurnWatch watch_;
  bool jump_ = false, ran_ = false, mixed_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_SWITCH_EASE_H_
