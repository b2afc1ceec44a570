// Clips, arrangements, variables and events on a time axis.
#ifndef POSEWIRE_LIBS_GRAPH_TIMELINE_H_
#define POSEWIRE_LIBS_GRAPH_TIMELINE_H_

#include <string>
#include <vector>

#include "libs/clip/clip.h"
#include "libs/graph/variables.h"

namespace posewire::graph {

// Keys are in order of time, within 0..length_s. Immutable once made; may be shared by threads.
struct Timeline {
  struct ClipKey {
    double at_s = 0;
    const clip::Clip* clip = nullptr;  // null: ends the current clip
    double speed = 1;                  // above 0
  };
  struct ArrangementKey {
    double at_s = 0;
    int arrangement = 0;  // index in the graph's arrangements
  };
  struct VariableKey {
    double at_s = 0;
    int variable = 0;
    Value value;
  };
  struct EventKey {
    double at_s = 0;
    std::string event;
    int index = -1;  // index in the graph's events; below 0: it is only reported
  };
  std::string name;
  double length_s = 1;  // above 0
  bool loop = false;
  std::vector<ClipKey> clips;
  std::vector<ArrangementKey> arrangements;
  std::vector<VariableKey> variables;
  std::vector<EventKey> events;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_TIMELINE_H_
