// Lays one gesture at a time over what is below.
#ifndef POSEWIRE_LIBS_GRAPH_GESTURE_NODE_H_
#define POSEWIRE_LIBS_GRAPH_GESTURE_NODE_H_

#include <memory>
#include <string>
#include <vector>

#include "libs/graph/clip_node.h"
#include "libs/graph/node.h"
#include "libs/graph/transition.h"
#include "libs/skel/mask.h"

namespace posewire::graph {

// A gesture plays for its length over just the elements that its clip has, then gives them back. A
// new one interrupts the old one. Each switch is inertialised over the elements of the gestures
// that take part in it; all else passes from below untouched.
class GestureNode : public Node {
 public:
  GestureNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below);

  // Follows a choice: each time that it is set, clips[choice] plays (null: none). When the clip has
  // ended the choice settles on `none`. `name` is the node's, for what it tells.
  void Follow(std::string name, int variable, int none, std::vector<const clip::Clip*> clips);
  void set_mask(skel::Mask mask);
  void set_ease_s(double ease_s);

  // Takes effect at the next Update; null ends the gesture that plays. The clip must outlive its
  // playing.
  void Set(const clip::Clip* clip);
  const clip::Clip* playing() const { return clip_.clip(); }

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(float weight, Contributions& out) const override;
  double remaining_s() const override { return below_->remaining_s(); }
  void Adopt(const Node& old) override;

 private:
  void AddToMask(const clip::Clip* clip);
  void SwitchTo(const clip::Clip* clip);
  void Tell(const TickContext& ctx, GraphEvent::Kind kind, const clip::Clip* clip) const;

  std::unique_ptr<Node> below_;
  ClipNode clip_;
  Transition transition_;
  skel::Pose layer_;
  skel::Pose mask_;  // presence only: the elements of the transition that runs
  std::string name_;
  int variable_ = -1, none_ = 0;
  uint32_t seen_sets_ = 0;
  std::vector<const clip::Clip*> clips_;
  std::unique_ptr<skel::Mask> amount_;  // null: all
  const clip::Clip* next_ = nullptr;
  bool has_next_ = false, jump_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_GESTURE_NODE_H_
