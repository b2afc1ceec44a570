// Selects one of a node's goals, for hands that reach and bodies that walk.
#ifndef POSEWIRE_LIBS_GRAPH_GOAL_CHOICE_H_
#define POSEWIRE_LIBS_GRAPH_GOAL_CHOICE_H_

#include <vector>

#include "libs/graph/node.h"

namespace posewire::graph {

struct GoalChoice {
  int variable = -1;           // a choice; -1: always the first goal
  std::vector<int> of_choice;  // the goal of each of its values; -1: none

  // Returns an index in the node's `goals`, or -1 for none.
  template <typename Goal>
  int Wanted(const TickContext& ctx, const std::vector<Goal>& goals) const {
    if (variable < 0) return goals.empty() ? -1 : 0;
    return of_choice[static_cast<size_t>(ctx.variables->choice(variable))];
  }
};

// Returns the goal in `now` with the name of old[goal], when one node replaces another; -1: none.
template <typename Goal>
int SameGoal(const std::vector<Goal>& old, int goal, const std::vector<Goal>& now) {
  if (goal < 0) return -1;
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i].target.name == old[static_cast<size_t>(goal)].target.name)
      return static_cast<int>(i);
  }
  return -1;
}

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_GOAL_CHOICE_H_
