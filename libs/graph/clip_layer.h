// Lays clips over a pose, one at a time, with every switch eased.
#ifndef POSEWIRE_LIBS_GRAPH_CLIP_LAYER_H_
#define POSEWIRE_LIBS_GRAPH_CLIP_LAYER_H_

#include <array>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "libs/graph/node.h"
#include "libs/graph/presence.h"
#include "libs/graph/stack_pose.h"
#include "libs/graph/transition.h"
#include "libs/skel/mask.h"

namespace posewire::graph {

// A clip covers just the elements that it has. A switch is inertialised over the elements of the
// clips that take part in it; all else passes untouched. Its owner says what is shown when.
//
// Where what is below remembers what it showed, it keeps a memory only while it eases: a clip that
// goes on can be laid over the past, too.
class ClipLayer {
 public:
  // `below` is what it is laid over; it and the rig outlive this.
  ClipLayer(const skel::Rig& rig, Node& below, double ease_s);

  void set_ease_s(double ease_s);
  void set_mask(skel::Mask mask) { amount_ = std::make_unique<skel::Mask>(std::move(mask)); }

  // From now on, or no longer, the shapes of gaze and lids are left to what is below.
  void LeaveEyes(bool leave) { leaves_eyes_ = leave; }

  // No other clips will be shown: only the joints that they can move under the mask are remembered
  // for the eases, where that is not for the nodes above, too. Before the first tick, after
  // set_mask.
  void Narrow(absl::Span<const clip::Clip* const> clips);

  // Once in each Update: what is to be seen at this tick (null: nothing). Another clip than before
  // is a switch, and with `jump` so is another place in the same one. The clip must have the rig's
  // size and outlive its showing.
  void Show(const clip::Clip* clip, double time_s, bool jump);
  const clip::Clip* clip() const { return clip_; }

  // Lays it over `out`.
  void Evaluate(double dt_s, const skel::PoseSpan& out);
  void Contribute(float weight, Contributions& out) const;
  // For its owner as a Node.
  Memory memory() const { return awake_ ? transition_->shown().memory() : below_.memory(); }
  void Recall(int ago, const skel::PoseSpan& out);

 private:
  // What was laid over below at a tick.
  struct Laid {
    const clip::Clip* clip = nullptr;
    double time_s = 0;
    bool leaves_eyes = false;
  };
  void Lay(const Laid& laid, const skel::PoseSpan& out);
  void AddToMask(const clip::Clip* clip);

  Node& below_;
  const bool may_rest_;
  skel::PoseView rest_;  // of the rig
  const clip::Clip* clip_ = nullptr;
  double time_s_ = 0;
  double ease_s_;
  std::unique_ptr<Transition> transition_;
  skel::Pose spare_, recall_spare_;     // see StackPose
  Presence mask_;                       // the elements of the transition that runs
  std::unique_ptr<skel::Mask> amount_;  // null: all
  std::vector<int> eyes_;               // the shapes of gaze and lids
  bool awake_ = false;                  // its memory is its own
  int calm_ = 0;                        // ticks that passed unchanged since the ease
  std::array<Laid, 2> laid_;            // at the last ticks
  size_t newest_ = 0;
  bool jump_ = false, seen_ = false, leaves_eyes_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_CLIP_LAYER_H_
