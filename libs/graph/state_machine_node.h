// States that each have a sub-graph, and transitions between them.
#ifndef POSEWIRE_LIBS_GRAPH_STATE_MACHINE_NODE_H_
#define POSEWIRE_LIBS_GRAPH_STATE_MACHINE_NODE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libs/graph/node.h"

namespace posewire::graph {

// Only the current state advances and is evaluated; a change of state requests easing. A state
// starts from its beginning when entered. At each tick, at most one transition is taken: the first
// whose conditions all hold.
class StateMachineNode : public Node {
 public:
  struct State {
    std::string name;
    std::unique_ptr<Node> node;
  };
  struct Condition {
    enum Compare : uint8_t { kEqual, kNotEqual, kLess, kGreater };
    int variable = -1;
    Compare compare = kEqual;
    double number = 0;  // for a choice its index, for a flag 0 or 1
  };
  struct Change {
    std::vector<int> from;  // empty: any state except `to`
    int to = 0;
    std::vector<Condition> conditions;
    int event = -1;
    // Playback in the state ends within duration_s.
    bool at_end = false;
    double after_s = 0;
    // 0: the shortest smooth duration (kShortest_s).
    double duration_s = 0;
    bool sync_phase = false;
    // Not taken while another transition is running; an event in the meantime is kept until that
    // has finished.
    bool waits = false;
  };
  static constexpr double kShortest_s = 0.2;

  // `name` is the node's name, for events. Requires at least one state.
  StateMachineNode(std::string name, std::vector<State> states, int initial,
                   std::vector<Change> changes);

  // Goes to states[choice] (-1: stays) when the choice changes or is set, and updates the choice
  // when a transition changes the state.
  void Follow(int variable, std::vector<int> states, double duration_s);

  int state() const { return current_; }

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;
  double remaining_s() const override { return node().remaining_s(); }
  double phase() const override { return node().phase(); }
  void SetPhase(double phase) override { node().SetPhase(phase); }
  double cycle_s() const override { return node().cycle_s(); }
  void SetPace(double pace) override { node().SetPace(pace); }
  void Restart() override;
  const skel::Vec3* camera_at() const override { return node().camera_at(); }
  void Adopt(const Node& old) override;

 private:
  Node& node() const { return *states_[static_cast<size_t>(current_)].node; }
  bool running() const { return running_s_ > 0; }
  bool Holds(const TickContext& ctx, const Change& change) const;
  bool FollowChoice(const TickContext& ctx);
  void Enter(const TickContext& ctx, int state, double duration_s, bool sync_phase);

  std::string name_;
  std::vector<State> states_;
  int initial_;
  std::vector<Change> changes_;
  int variable_ = -1;
  std::vector<int> state_of_;  // by choice
  double follow_s_ = 0;
  int seen_choice_ = -1;
  uint32_t seen_sets_ = 0;

  int current_;
  double in_state_s_ = 0;
  double running_s_ = 0;  // remaining time of a transition
  uint64_t events_ = 0;   // of this tick, and those that waited
  double ease_s_ = 0;     // duration that the next Evaluate requests, or 0
  bool started_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_STATE_MACHINE_NODE_H_
