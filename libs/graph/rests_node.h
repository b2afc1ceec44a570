// A standing posture that changes from time to time, for example from folded to hanging hands.
#ifndef POSEWIRE_LIBS_GRAPH_RESTS_NODE_H_
#define POSEWIRE_LIBS_GRAPH_RESTS_NODE_H_

#include <memory>
#include <vector>

#include "libs/graph/clip_node.h"
#include "libs/random/random.h"

namespace posewire::graph {

// See posewire.graph.v1.RestsNode. Plays one of several looping clips; after some time another one,
// never the same twice in a row. Once it has stayed long enough, it changes together with the next
// gesture that a source announces, so that raised hands return to another posture. Requests easing
// of each change.
class RestsNode : public Node {
 public:
  struct Settings {
    double least_s = 8, most_s = 24, ease_s = 1.2;
  };
  // At least one clip, each of the rig's size; they must outlive the node.
  RestsNode(std::vector<const clip::Clip*> clips, const Settings& settings);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;
  double phase() const override { return clip_.phase(); }
  double cycle_s() const override { return clip_.cycle_s(); }
  // Plays the first clip again.
  void Restart() override;
  void Adopt(const Node& old) override;

 private:
  void Go(size_t to);

  std::vector<const clip::Clip*> clips_;
  Settings settings_;
  ClipNode clip_;
  Random random_{1};
  bool started_ = false;
  size_t now_ = 0;
  double stayed_s_ = 0, stays_s_ = 0;
  double in_s_ = -1;   // until a change together with a gesture; below 0: none
  double ease_s_ = 0;  // duration that the next Evaluate requests, or 0
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_RESTS_NODE_H_
