// The end of a graph: fills in every element of the rig, eases from the replaced graph, and keeps
// quaternion signs consistent.
#ifndef POSEWIRE_LIBS_GRAPH_OUTPUT_NODE_H_
#define POSEWIRE_LIBS_GRAPH_OUTPUT_NODE_H_

#include <memory>
#include <vector>

#include "libs/graph/ease.h"
#include "libs/graph/node.h"

namespace posewire::graph {

// Missing elements are at rest. Each rotation has the sign nearer to the previous tick (q .
// q_previous >= 0).
class OutputNode : public Node {
 public:
  OutputNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below);

  void Update(const TickContext& ctx, float weight) override { below_->Update(ctx, weight); }
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;

  // Eases the following poses from `shown`, a pose of the rig's size that another graph showed
  // last. Allocates; call before the first Evaluate.
  void EaseFrom(const skel::PoseView& shown);

 private:
  void NoteLast(const skel::PoseView& pose);
  void KeepSigns(const skel::PoseSpan& out);

  std::shared_ptr<const skel::Rig> rig_;
  std::unique_ptr<Node> below_;
  std::vector<float> last_;     // rotations shown last: w, x, y, z, each for all joints
  std::unique_ptr<Ease> ease_;  // null: no graph was replaced
  bool jump_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_OUTPUT_NODE_H_
