// Shows what a node showed a while ago.
#ifndef POSEWIRE_LIBS_GRAPH_DELAY_NODE_H_
#define POSEWIRE_LIBS_GRAPH_DELAY_NODE_H_

#include <memory>
#include <vector>

#include "libs/graph/number.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/switch_ease.h"
#include "libs/graph/transition.h"

namespace posewire::graph {

// Keeps the poses of the node below, at most 30 a second, and reads between them (slerp and lerp).
// What is older than its first pose is its first pose. A delay that changes slowly is read faster
// or slower; one that is switched is eased. Poses from before a time in which the node was not seen
// are forgotten.
class DelayNode : public PassNode {
 public:
  static constexpr double kMost_s = 10;

  // `most_s` (0..kMost_s) is what the delay may become; it decides how much memory is taken.
  DelayNode(const skel::Rig& rig, std::unique_ptr<Node> below, Number delay_s, double most_s);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

 private:
  struct Kept {
    double time_s = 0;
    skel::Pose pose;
  };
  // The i-th oldest.
  const Kept& kept(size_t i) const { return ring_[(first_ + i) % ring_.size()]; }
  void Keep(const skel::PoseView& pose);
  void Read(double time_s, const skel::PoseSpan& out) const;

  Number delay_;
  double most_s_;
  std::vector<Kept> ring_;
  size_t first_ = 0, count_ = 0;
  SwitchEase ease_;
  // Over what the node below shows otherwise since this one took another's place, so that the line
  // has no jump in it.
  std::unique_ptr<Transition> seam_;
  double now_s_ = 0, read_s_ = 0, last_s_ = 0;
  bool seen_ = false, jump_ = false, seam_jump_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_DELAY_NODE_H_
