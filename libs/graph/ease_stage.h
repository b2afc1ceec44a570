// The stage of a graph at which jumps are eased.
#ifndef POSEWIRE_LIBS_GRAPH_EASE_STAGE_H_
#define POSEWIRE_LIBS_GRAPH_EASE_STAGE_H_

#include <memory>

#include "libs/graph/ease.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/presence.h"

namespace posewire::graph {

// Observes the input of a graph's stages before easing, and the requests. For tests.
class EaseWatcher {
 public:
  virtual ~EaseWatcher() = default;
  virtual void OnInput(const Node& stage, const skel::PoseView& input,
                       const TransitionRequests& asks) = 0;
};

// Outputs every element of the rig; elements missing below are at rest. Eases elements requested by
// the nodes below, and elements that appear or disappear. The loader inserts one above nodes that
// switch, and below nodes that use the whole pose and are themselves continuous (look, limits, IK).
class EaseStage : public PassNode {
 public:
  EaseStage(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;
  // Continues easing in progress. The difference between the two graphs is eased elsewhere.
  void Adopt(const Node& old) override;

 private:
  std::shared_ptr<const skel::Rig> rig_;
  PresenceWatch said_;
  Ease ease_;
  double time_s_ = 0;  // of the last tick
  bool seen_ = false, adopted_ = false;
  bool gap_before_ = false;  // between the last two ticks
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_EASE_STAGE_H_
