// `anim_graph graph ...`: looks at a graph without serving it.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRAPH_COMMAND_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRAPH_COMMAND_H_

#include <string>

#include "posewire.graph.v1.pb.h"

namespace posewire::anim_graph {

// argv[0] is "graph". The result is the exit code: 0, 1 for a graph that is wrong or a file that
// cannot be written, 2 for wrong arguments.
int RunGraphCommand(int argc, const char* const* argv);

// The graph in Graphviz's language: a box a node, an arrow from each to what uses it, and the
// variables that nodes follow.
std::string DrawDot(const graph::v1::AnimationGraph& graph);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRAPH_COMMAND_H_
