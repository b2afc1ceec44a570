// Mirrors a node's pose.
#ifndef POSEWIRE_LIBS_GRAPH_MIRROR_NODE_H_
#define POSEWIRE_LIBS_GRAPH_MIRROR_NODE_H_

#include <memory>

#include "libs/graph/number.h"
#include "libs/graph/pass_node.h"
#include "libs/skel/mirror.h"

namespace posewire::graph {

// Swaps left and right (skel::Mirror) while the weight is 0.5 or more; the change requests easing.
// There is no mix, because half a mirrored and half a plain pose is not a meaningful pose.
class MirrorNode : public PassNode {
 public:
  MirrorNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below);

  void set_weight(Number weight) { weight_ = weight; }

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;
  void Adopt(const Node& old) override;

 private:
  skel::Mirror mirror_;
  skel::Pose scratch_;
  Number weight_{1};
  bool mirrored_ = false, started_ = false, jump_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_MIRROR_NODE_H_
