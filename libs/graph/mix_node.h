// Base class of all nodes that mix several inputs.
#ifndef POSEWIRE_LIBS_GRAPH_MIX_NODE_H_
#define POSEWIRE_LIBS_GRAPH_MIX_NODE_H_

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "libs/graph/node.h"
#include "libs/graph/turn_watch.h"
#include "libs/graph/watched_input.h"
#include "libs/skel/blend_job.h"

namespace posewire::graph {

// Outputs sum(w x) / sum(w) over the inputs, element by element (skel::BlendJob). If all weights
// are 0, the previous ones are kept; initially, only the first input is used. Inputs of weight 0
// advance but are not evaluated. Requests easing when weights jump, for elements that appear in or
// disappear from an input, and where the mix flips to the other side.
//
// With sync, the cycles of all inputs run at the same rate, so that each takes the weighted mean of
// their lengths, and all have the phase of the heaviest.
class MixNode : public Node {
 public:
  // Requires at least one input.
  MixNode(const skel::Rig& rig, std::vector<std::unique_ptr<Node>> inputs, bool sync);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;
  double remaining_s() const override { return leader().remaining_s(); }
  double phase() const override { return leader().phase(); }
  void SetPhase(double phase) override;
  double cycle_s() const override { return sync_ ? cycle_s_ : leader().cycle_s(); }
  void SetPace(double pace) override;
  void Restart() override;
  const skel::Vec3* camera_at() const override { return leader().camera_at(); }
  void Adopt(const Node& old) override;

  // From the last Update; they add up to 1.
  absl::Span<const float> shares() const { return shares_; }

 protected:
  // Writes the weight of each input at this tick, 0 or more; `weights` is initialised with zeros.
  virtual void Weigh(const TickContext& ctx, absl::Span<float> weights) = 0;

 private:
  const Node& leader() const { return *inputs_[leader_].get(); }
  void Share(double dt_s);
  void AskForElements(const TickContext& ctx) const;
  void KeepStep();

  std::vector<WatchedInput> inputs_;
  bool sync_;
  TurnWatch turns_;
  std::vector<skel::Pose> poses_;
  std::vector<skel::BlendJob::Input> mix_;
  std::vector<float> weights_, shares_;
  std::vector<float> shown_;  // the shares at the last Evaluate
  size_t leader_ = 0;
  double cycle_s_ = 0, pace_ = 1;
  bool jump_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_MIX_NODE_H_
