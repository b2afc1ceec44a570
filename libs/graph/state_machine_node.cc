#include "libs/graph/state_machine_node.h"

#include <algorithm>
#include <utility>

#include "libs/graph/contributions.h"
#include "libs/graph/transition_requests.h"

namespace posewire::graph {
StateMachineNode::StateMachineNode(std::string name, std::vector<State> states, int initial,
                                   std::vector<Change> changes)
    : name_(std::move(name)),
      states_(std::move(states)),
      initial_(initial),
      changes_(std::move(changes)),
      current_(initial) {}

void StateMachineNode::Follow(int variable, std::vector<int> states, double duration_s) {
  variable_ = variable;
  state_of_ = std::move(states);
  follow_s_ = duration_s;
}

bool StateMachineNode::Holds(const TickContext& ctx, const Change& change) const {
  if (change.from.empty()) {
    if (current_ == change.to) return false;
  } else if (std::find(change.from.begin(), change.from.end(), current_) == change.from.end()) {
    return false;
  }
  if (change.waits && running()) return false;
  if (in_state_s_ < change.after_s - kOnTime_s) return false;
  if (change.event >= 0) {
    const uint64_t events = change.waits ? events_ : ctx.fired;
    if ((events >> change.event & 1) == 0) return false;
  }
  if (change.at_end && node().remaining_s() > change.duration_s + kOnTime_s) return false;
  return std::all_of(change.conditions.begin(), change.conditions.end(), [&](const Condition& c) {
    const double is = ctx.variables->number(c.variable);
    switch (c.compare) {
      case Condition::kEqual:
        return is == c.number;
      case Condition::kNotEqual:
        return is != c.number;
      case Condition::kLess:
        return is < c.number;
      case Condition::kGreater:
        return is > c.number;
    }
    return false;
  });
}

void StateMachineNode::Enter(const TickContext& ctx, int state, double duration_s,
                             bool sync_phase) {
  const double phase = sync_phase ? node().phase() : -1;
  current_ = state;
  in_state_s_ = 0;
  running_s_ = std::max(duration_s, kShortest_s);
  ease_s_ = running_s_;
  node().Restart();
  if (phase >= 0) node().SetPhase(phase);
  if (ctx.outputs != nullptr) {
    ctx.outputs->Tell({GraphEvent::kStateEntered, name_, states_[static_cast<size_t>(state)].name});
  }
}

// Returns true if the state has changed.
bool StateMachineNode::FollowChoice(const TickContext& ctx) {
  if (variable_ < 0) return false;
  const int choice = ctx.variables->choice(variable_);
  const uint32_t sets = ctx.variables->sets(variable_);
  if (choice == seen_choice_ && sets == seen_sets_) return false;
  seen_choice_ = choice;
  seen_sets_ = sets;
  const int to = state_of_[static_cast<size_t>(choice)];
  if (to < 0 || to == current_) return false;
  Enter(ctx, to, follow_s_, false);
  return true;
}

void StateMachineNode::Update(const TickContext& ctx, float weight) {
  if (!started_) {
    started_ = true;
    if (FollowChoice(ctx)) running_s_ = 0;
    node().Update(ctx, weight);
    return;
  }
  in_state_s_ += ctx.dt_s;
  running_s_ -= ctx.dt_s;
  if (running_s_ < kOnTime_s) running_s_ = 0;
  events_ |= ctx.fired;
  // Whether it ends soon is known only after it has advanced.
  node().Update(ctx, weight);
  bool changed = FollowChoice(ctx);
  for (const Change& change : changes_) {
    if (changed) break;
    if (!Holds(ctx, change)) continue;
    Enter(ctx, change.to, change.duration_s, change.sync_phase);
    changed = true;
    const auto value = std::find(state_of_.begin(), state_of_.end(), current_);
    if (variable_ >= 0 && value != state_of_.end()) {
      seen_choice_ = static_cast<int>(value - state_of_.begin());
      ctx.variables->Settle(variable_, {static_cast<double>(seen_choice_), {}});
    }
  }
  if (changed) node().Update(ctx, weight);
  if (changed || !running()) events_ = 0;
}

void StateMachineNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  node().Evaluate(ctx, out);
  const double ease_s = std::exchange(ease_s_, 0);
  if (ease_s > 0 && ctx.asks != nullptr) ctx.asks->AskAll(ease_s);
}

void StateMachineNode::Restart() {
  if (current_ != initial_) ease_s_ = kShortest_s;
  current_ = initial_;
  in_state_s_ = running_s_ = 0;
  events_ = 0;
  started_ = false;
  seen_choice_ = -1;
  node().Restart();
}

void StateMachineNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const StateMachineNode*>(&old);
  if (other == nullptr || !other->started_) return;
  const std::string& was = other->states_[static_cast<size_t>(other->current_)].name;
  const auto same =
      std::find_if(states_.begin(), states_.end(), [&](const State& s) { return s.name == was; });
  if (same == states_.end()) return;
  current_ = static_cast<int>(same - states_.begin());
  in_state_s_ = other->in_state_s_;
  running_s_ = other->running_s_;
  started_ = true;
  // The choices may be in another order now, so the current value does not count as a new choice.
  seen_sets_ = other->seen_sets_;
  const auto value = std::find(state_of_.begin(), state_of_.end(), current_);
  seen_choice_ = value == state_of_.end() ? -1 : static_cast<int>(value - state_of_.begin());
}

void StateMachineNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                                  ContributionList& out) const {
  node().Contribute(ctx, share, out);
}

}  // namespace posewire::graph
