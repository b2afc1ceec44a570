#include "libs/graph/map_node.h"

#include <algorithm>
#include <utility>

#include "libs/graph/transition_requests.h"

namespace posewire::graph {

MapNode::MapNode(skel::RigMap map, std::unique_ptr<Node> below)
    : map_(std::move(map)),
      below_(std::move(below)),
      scratch_(map_.from()->joints(), map_.from()->shapes()) {}

void MapNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  TransitionRequests asks(scratch_.joints(), scratch_.shapes());
  TickContext aside = ctx;
  if (ctx.asks != nullptr) aside.asks = &asks;
  below_->Evaluate(aside, scratch_.span());
  map_.Apply(scratch_.view(), out);
  if (!asks.any()) return;
  // A joint is computed from several others, so easing of all joints is requested; those that do
  // not jump are not eased.
  TransitionRequests::Ms longest = 0;
  asks.Each([&](size_t, size_t, TransitionRequests::Ms& ms) { longest = std::max(longest, ms); });
  ctx.asks->AskAll(longest * 1e-3);
}

}  // namespace posewire::graph
