// Plays one gesture at a time on top of another node.
#ifndef POSEWIRE_LIBS_GRAPH_GESTURE_NODE_H_
#define POSEWIRE_LIBS_GRAPH_GESTURE_NODE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libs/graph/clip_layer.h"
#include "libs/graph/clip_node.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/provider_node.h"

namespace posewire::graph {

// A gesture plays for its length, affecting only the elements of its clip, and then releases them.
// A new one interrupts the old one. Requests easing of each switch, for the elements of the
// gestures involved; everything else passes unchanged.
class GestureNode : public PassNode {
 public:
  GestureNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below);

  // Follows a choice: each time it is set, clips[choice] plays (null: none). When the clip has
  // ended, the choice returns to `none`. `name` is the node's name, for events.
  void Follow(std::string name, int variable, int none, std::vector<const clip::Clip*> clips);
  void set_mask(skel::Mask mask) { layer_.set_mask(std::move(mask)); }
  void set_ease_s(double ease_s) { layer_.set_ease_s(ease_s); }
  // A factor on the gestures' own speed.
  void set_speed(Number speed) { clip_.set_speed(speed); }

  // Sources below: while one moves eyes or lids by joints, gestures do not change the shapes of
  // those parts.
  void set_providers(std::vector<const ProviderNode*> providers) {
    providers_ = std::move(providers);
  }

  // Takes effect at the next Update; null ends the playing gesture. The clip must outlive its
  // playback.
  void Set(const clip::Clip* clip);
  const clip::Clip* playing() const { return clip_.clip(); }

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;
  // Of the gesture, while one plays.
  const skel::Vec3* camera_at() const override {
    return clip_.clip() != nullptr ? clip_.camera_at() : PassNode::camera_at();
  }
  void Adopt(const Node& old) override;

 private:
  void Tell(const TickContext& ctx, GraphEvent::Kind kind, const clip::Clip* clip) const;

  ClipNode clip_;  // holds the time of the gesture
  ClipLayer layer_;
  std::string name_;
  int variable_ = -1, none_ = 0;
  uint32_t seen_sets_ = 0;
  std::vector<const clip::Clip*> clips_;
  std::vector<const ProviderNode*> providers_;
  const clip::Clip* next_ = nullptr;
  bool has_next_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_GESTURE_NODE_H_
