// Builds state machines.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/graph/state_machine_node.h"
#include "libs/graph_loader/builder.h"
#include "libs/graph_loader/quoted.h"
#include "libs/names/known_names.h"

namespace posewire::graph {
namespace {

using Machine = StateMachineNode;

constexpr double kMostDuration_s = 10, kMostWait_s = 3600;

// Reads one state machine; all field names are relative to `node`.
class StatesReader {
 public:
  StatesReader(const v1::StateMachineNode& node, Builder& b) : node_(node), b_(b) {}

  std::unique_ptr<Node> Read() {
    std::vector<Machine::State> states = ReadStates();
    if (states.empty()) {
      b_.Error("states", "at least one must be given");
      return nullptr;
    }
    const int initial = node_.initial().empty() ? 0 : Index("initial", node_.initial());
    std::vector<Machine::Change> changes;
    for (int i = 0; i < node_.transitions_size(); ++i) changes.push_back(ReadChange(i));
    auto machine =
        std::make_unique<Machine>(b_.name(), std::move(states), initial, std::move(changes));
    ReadFollow(*machine);
    return machine;
  }

 private:
  std::vector<Machine::State> ReadStates() {
    std::vector<Machine::State> states;
    for (int i = 0; i < node_.states_size(); ++i) {
      const auto& state = node_.states(i);
      const std::string field = absl::StrCat("states[", i, "]");
      if (state.name().empty()) b_.Error(absl::StrCat(field, ".name"), "a state needs a name");
      if (std::find(names_.begin(), names_.end(), state.name()) != names_.end()) {
        b_.Error(absl::StrCat(field, ".name"),
                 absl::StrCat("the name \"", state.name(), "\" is used twice"));
      }
      names_.push_back(state.name());
      states.push_back({state.name(), b_.Child(absl::StrCat(field, ".node"), state.node())});
    }
    return states;
  }

  int Index(absl::string_view field, const std::string& name) {
    const auto it = std::find(names_.begin(), names_.end(), name);
    if (it != names_.end()) return static_cast<int>(it - names_.begin());
    b_.Error(field, absl::StrCat("there is no state ", Quoted(name), KnownNames(name, names_)));
    return 0;
  }

  Machine::Condition ReadCondition(const std::string& field,
                                   const v1::StateMachineNode::Condition& from) {
    Machine::Condition condition;
    condition.variable = 0;
    const VariableSet& variables = *b_.stock().variables;
    const auto index = variables.Index(from.variable());
    if (!index.ok()) {
      b_.Error(absl::StrCat(field, ".variable"), index.status().message());
      return condition;
    }
    const VariableSpec& spec = variables.spec(*index);
    const bool orders = from.compare() == v1::StateMachineNode::Condition::LESS ||
                        from.compare() == v1::StateMachineNode::Condition::GREATER;
    if (spec.type == VariableType::kVector || (orders && spec.type != VariableType::kNumber)) {
      b_.Error(absl::StrCat(field, ".variable"),
               absl::StrCat("variable \"", from.variable(), "\" cannot be compared so; ",
                            orders ? "LESS and GREATER need a number"
                                   : "a number, a choice or a flag is needed"));
      return condition;
    }
    if (!v1::StateMachineNode::Condition::Compare_IsValid(from.compare())) {
      b_.Error(absl::StrCat(field, ".compare"),
               absl::StrCat(from.compare(), " is none of EQUAL, NOT_EQUAL, LESS, GREATER"));
      return condition;
    }
    const auto value = spec.Parse(from.value());
    if (!value.ok()) {
      b_.Error(absl::StrCat(field, ".value"), value.status().message());
      return condition;
    }
    condition.variable = *index;
    condition.number = value->number;
    condition.compare = static_cast<Machine::Condition::Compare>(from.compare());
    return condition;
  }

  Machine::Change ReadChange(int i) {
    const auto& from = node_.transitions(i);
    const std::string field = absl::StrCat("transitions[", i, "]");
    Machine::Change change;
    for (const std::string& name : from.from()) {
      change.from.push_back(Index(absl::StrCat(field, ".from"), name));
    }
    change.to = Index(absl::StrCat(field, ".to"), from.to());
    for (int k = 0; k < from.conditions_size(); ++k) {
      change.conditions.push_back(
          ReadCondition(absl::StrCat(field, ".conditions[", k, "]"), from.conditions(k)));
    }
    if (!from.event().empty()) change.event = b_.Event(absl::StrCat(field, ".event"), from.event());
    change.at_end = from.at_end();
    change.after_s = b_.Plain(absl::StrCat(field, ".after_s"), from.after_s(), 0, kMostWait_s);
    change.duration_s =
        b_.Plain(absl::StrCat(field, ".duration_s"), from.duration_s(), 0, kMostDuration_s);
    change.sync_phase = from.sync_phase();
    change.waits = from.waits();
    if (change.conditions.empty() && from.event().empty() && !change.at_end &&
        change.after_s == 0) {
      b_.Error(field, "it waits for nothing; give conditions, an event, at_end or after_s");
    }
    return change;
  }

  void ReadFollow(Machine& machine) {
    const double duration_s =
        b_.Plain("follow_duration_s", node_.follow_duration_s(), 0, kMostDuration_s);
    const int variable = b_.Variable("follow", node_.follow(), VariableType::kChoice);
    if (variable < 0) return;
    std::vector<int> states;
    for (const std::string& value : b_.stock().variables->spec(variable).values) {
      states.push_back(value == "none" ? -1 : Index("follow", value));
    }
    machine.Follow(variable, std::move(states), duration_s);
  }

  const v1::StateMachineNode& node_;
  Builder& b_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Node> BuildNode(const v1::StateMachineNode& node, Builder& b) {
  return StatesReader(node, b).Read();
}

}  // namespace posewire::graph
