// Shows the pose that a node had some time ago.
#ifndef POSEWIRE_LIBS_GRAPH_DELAY_NODE_H_
#define POSEWIRE_LIBS_GRAPH_DELAY_NODE_H_

#include <memory>
#include <vector>

#include "libs/graph/number.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/transition_requests.h"

namespace posewire::graph {

// Stores the poses of the node below, at most 30 per second, and interpolates between them (slerp
// and lerp). Before the first pose, it shows the first pose. If the delay changes slowly, poses are
// read faster or slower; if it jumps, easing is requested. Poses from before a time in which the
// node was not visible are dropped.
//
// Easing requests from below are stored with the pose that jumped, and made when that pose is read.
// Until then the elements keep their values, because nothing is between the two sides of a jump.
class DelayNode : public PassNode {
 public:
  static constexpr double kMost_s = 10;

  // `most_s` (0..kMost_s) is the longest possible delay; it determines the memory used.
  DelayNode(const skel::Rig& rig, std::unique_ptr<Node> below, Number delay_s, double most_s);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;
  void Adopt(const Node& old) override;

 private:
  // The easing requests, row by row.
  struct Asked {
    bool any = false;
    std::vector<TransitionRequests::Ms> ms;
  };
  struct Kept {
    double time_s = 0;
    skel::Pose pose;
    Asked asked;
  };
  // Returns the i-th oldest.
  const Kept& kept(size_t i) const { return ring_[(first_ + i) % ring_.size()]; }
  // Returns how many are at least that old.
  size_t CountUntil(double time_s) const;
  void Keep(const skel::PoseView& pose);
  void Read(double time_s, const skel::PoseSpan& out) const;
  void AskAgain(const Asked& asked, TransitionRequests* asks) const;

  Number delay_;
  double most_s_;
  std::vector<Kept> ring_;
  size_t first_ = 0, count_ = 0;
  Asked pending_;  // since the last stored pose
  double now_s_ = 0, read_s_ = 0, last_s_ = 0, last_read_s_ = 0;
  bool seen_ = false, jump_ = false, adopted_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_DELAY_NODE_H_
