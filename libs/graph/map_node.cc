#include "libs/graph/map_node.h"

#include <utility>

namespace posewire::graph {

MapNode::MapNode(skel::RigMap map, std::unique_ptr<Node> below)
    : map_(std::move(map)),
      below_(std::move(below)),
      scratch_(map_.from()->joints(), map_.from()->shapes()) {}

void MapNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below_->Evaluate(ctx, scratch_.span());
  map_.Apply(scratch_.view(), out);
}

}  // namespace posewire::graph
