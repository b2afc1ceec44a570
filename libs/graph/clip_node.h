// Plays one clip.
#ifndef POSEWIRE_LIBS_GRAPH_CLIP_NODE_H_
#define POSEWIRE_LIBS_GRAPH_CLIP_NODE_H_

#include "libs/graph/node.h"

namespace posewire::graph {

// The clip stands at its first frame at the tick of Play and advances by dt from there; past its
// end it holds its last frame, or goes round when it loops. Without a clip the node's pose is
// empty.
class ClipNode : public Node {
 public:
  // `clip` must have the size of the node's rig and outlive its playing; null ends it.
  void Play(const clip::Clip* clip);
  const clip::Clip* clip() const { return clip_; }
  double time_s() const { return time_s_; }
  // True once the time has passed the last frame of a clip that does not loop.
  bool ended() const;

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(float weight, Contributions& out) const override;

 private:
  const clip::Clip* clip_ = nullptr;
  double time_s_ = 0;
  bool fresh_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_CLIP_NODE_H_
