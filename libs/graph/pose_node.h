// A pose that never changes.
#ifndef POSEWIRE_LIBS_GRAPH_POSE_NODE_H_
#define POSEWIRE_LIBS_GRAPH_POSE_NODE_H_

#include <memory>
#include <utility>

#include "libs/graph/node.h"

namespace posewire::graph {

class PoseNode : public Node {
 public:
  // Must have the rig's size. Avatars may share it.
  explicit PoseNode(std::shared_ptr<const skel::Pose> pose) : pose_(std::move(pose)) {}
  explicit PoseNode(skel::Pose pose) : PoseNode(std::make_shared<skel::Pose>(std::move(pose))) {}

  skel::PoseView pose() const { return pose_->view(); }

  void Update(const TickContext& ctx, float weight) override { (void)ctx, (void)weight; }
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override {
    (void)ctx;
    out.CopyFrom(pose());
  }

 private:
  std::shared_ptr<const skel::Pose> pose_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_POSE_NODE_H_
