// Plays timelines on top of another node.
#ifndef POSEWIRE_LIBS_GRAPH_TIMELINE_NODE_H_
#define POSEWIRE_LIBS_GRAPH_TIMELINE_NODE_H_

#include <memory>
#include <string>
#include <vector>

#include "libs/graph/clip_layer.h"
#include "libs/graph/number.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/timeline.h"

namespace posewire::graph {

// Follows a choice: each time it is set, timelines[choice] plays (null: none) from its start. A key
// takes effect at the first tick at or after its time. The end is reported, and the choice returns
// to `none`.
//
// A clip plays from its key to its end, or to the next clip's key; a looping one continues. Setting
// the seek variable while a timeline plays, or together with it, jumps to that second: clips are at
// their positions at that time, and variables get the values of their last keys (without counting
// as set, so that no gesture plays again). Skipped arrangements and events are not played.
class TimelineNode : public PassNode {
 public:
  // `name` is the node's name, for events.
  TimelineNode(const skel::Rig& rig, std::string name, std::unique_ptr<Node> below);

  void Follow(int variable, int none, std::vector<const Timeline*> timelines);
  // A number variable.
  void set_seek(int variable) { seek_ = variable; }
  // Arrangement keys set this choice to values[arrangement].
  void set_arrangements(int variable, std::vector<int> values);
  // 0 or more.
  void set_speed(Number speed) { speed_ = speed; }
  void set_mask(skel::Mask mask) { layer_.set_mask(std::move(mask)); }
  void set_ease_s(double ease_s) { layer_.set_ease_s(ease_s); }

  const Timeline* playing() const { return timeline_; }
  double time_s() const { return time_s_; }

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;
  double remaining_s() const override;
  void Adopt(const Node& old) override;

 private:
  void Listen(const TickContext& ctx);
  void SeekTo(const TickContext& ctx, double time_s);
  void Advance(const TickContext& ctx, double step_s);
  void Pass(const TickContext& ctx, double after_s, double to_s);
  void End(const TickContext& ctx);
  void ShowClip();

  std::string name_;
  ClipLayer layer_;
  Number speed_{1};
  int variable_ = -1, none_ = 0, seek_ = -1, arrangement_variable_ = -1;
  uint32_t seen_sets_ = 0, seen_seeks_ = 0;
  std::vector<const Timeline*> timelines_;
  std::vector<int> arrangement_values_;

  const Timeline* timeline_ = nullptr;
  double time_s_ = 0;
  const Timeline::ClipKey* key_ = nullptr;  // the key whose clip is shown
  bool fresh_ = false, jump_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_TIMELINE_NODE_H_
