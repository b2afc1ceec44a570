// A pose that never changes.
#ifndef POSEWIRE_LIBS_GRAPH_POSE_NODE_H_
#define POSEWIRE_LIBS_GRAPH_POSE_NODE_H_

#include <utility>

#include "libs/graph/node.h"

namespace posewire::graph {

class PoseNode : public Node {
 public:
  // Of the rig's size.
  explicit PoseNode(skel::Pose pose) : pose_(std::move(pose)) {}

  void Update(const TickContext& ctx, float weight) override { (void)ctx, (void)weight; }
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override {
    (void)ctx;
    out.CopyFrom(pose_.view());
  }

 private:
  skel::Pose pose_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_POSE_NODE_H_
