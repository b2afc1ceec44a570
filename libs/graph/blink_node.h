// Combines the procedural blink with other motion of the lids.
#ifndef POSEWIRE_LIBS_GRAPH_BLINK_NODE_H_
#define POSEWIRE_LIBS_GRAPH_BLINK_NODE_H_

#include <memory>
#include <vector>

#include "libs/graph/idle_node.h"
#include "libs/graph/node.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/provider_node.h"

namespace posewire::graph {

// Each lid's shape becomes max(node below, procedural blink), never their sum. Does nothing while a
// provider moves the lids by joints.
class BlinkNode : public PassNode {
 public:
  // `idle` and `providers` must be part of `below`.
  BlinkNode(const skel::Rig& rig, std::unique_ptr<Node> below, const IdleNode* idle,
            std::vector<const ProviderNode*> providers);

  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;

 private:
  const IdleNode* idle_;
  std::vector<const ProviderNode*> providers_;
  int lids_[2];
  float share_ = 1;  // visible share of the blink; eased when joints take over
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_BLINK_NODE_H_
