// Retargets a node's pose to another rig.
#ifndef POSEWIRE_LIBS_GRAPH_MAP_NODE_H_
#define POSEWIRE_LIBS_GRAPH_MAP_NODE_H_

#include <memory>

#include "libs/graph/node.h"
#include "libs/skel/rig_map.h"

namespace posewire::graph {

class MapNode : public Node {
 public:
  // `below` outputs poses of map.from(); this node outputs poses of map.to().
  MapNode(skel::RigMap map, std::unique_ptr<Node> below);

  void Update(const TickContext& ctx, float weight) override { below_->Update(ctx, weight); }
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;

 private:
  skel::RigMap map_;
  std::unique_ptr<Node> below_;
  skel::Pose scratch_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_MAP_NODE_H_
