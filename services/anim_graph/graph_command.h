// `anim_graph graph ...`: inspects a graph without serving it.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRAPH_COMMAND_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRAPH_COMMAND_H_

#include <string>

#include "posewire.graph.v1.pb.h"

namespace posewire::anim_graph {

// Runs the command; argv[0] is "graph". Returns the exit code: 0, 1 for an invalid graph or a file
// that cannot be written, 2 for invalid arguments.
int RunGraphCommand(int argc, const char* const* argv);

// Returns the graph in Graphviz's language: one box per node, an arrow from each node to those that
// use it, and the variables that nodes read.
std::string DrawDot(const graph::v1::AnimationGraph& graph);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRAPH_COMMAND_H_
