// Keeps every joint within the rig's limits.
#ifndef POSEWIRE_LIBS_GRAPH_LIMITS_NODE_H_
#define POSEWIRE_LIBS_GRAPH_LIMITS_NODE_H_

#include <memory>
#include <vector>

#include "libs/graph/pass_node.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

// Like skel::LimitJob. If the pose below rotates so far that the nearest bound changes suddenly,
// the joint moves there within the limits, without a visible jump.
class LimitsNode : public PassNode {
 public:
  LimitsNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below);

  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

 private:
  struct Shown {
    skel::Vec3 angles;  // swing and twist from rest
    bool held = false;  // it differed from the node below
  };
  std::shared_ptr<const skel::Rig> rig_;
  std::vector<Shown> shown_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LIMITS_NODE_H_
