// Plays arrangements on top of another node.
#ifndef POSEWIRE_LIBS_GRAPH_ARRANGEMENT_NODE_H_
#define POSEWIRE_LIBS_GRAPH_ARRANGEMENT_NODE_H_

#include <memory>
#include <string>
#include <vector>

#include "libs/graph/arrangement.h"
#include "libs/graph/clip_layer.h"
#include "libs/graph/pass_node.h"

namespace posewire::graph {

// Follows a choice: each time it is set, arrangements[choice] plays (null: none). The end is
// reported, and the choice returns to `none`. During pauses and live items, the node below is
// visible.
class ArrangementNode : public PassNode {
 public:
  // `name` is the node's name, for events.
  ArrangementNode(const skel::Rig& rig, std::string name, std::unique_ptr<Node> below);

  void Follow(int variable, int none, std::vector<const Arrangement*> arrangements);
  // Starts automatically when a live source appears after there was none, and nothing is playing.
  void set_on_source(const Arrangement* arrangement) { on_source_ = arrangement; }
  void set_mask(skel::Mask mask) { layer_.set_mask(std::move(mask)); }
  void set_ease_s(double ease_s) { layer_.set_ease_s(ease_s); }

  const ArrangementPlayer& player() const { return player_; }

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;
  double remaining_s() const override;
  void Adopt(const Node& old) override;

 private:
  void StartOnSource(const TickContext& ctx);

  std::string name_;
  ArrangementPlayer player_;
  ClipLayer layer_;
  int variable_ = -1, none_ = 0;
  uint32_t seen_sets_ = 0;
  std::vector<const Arrangement*> arrangements_;
  const Arrangement* on_source_ = nullptr;
  bool live_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_ARRANGEMENT_NODE_H_
