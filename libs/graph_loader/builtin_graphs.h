// The graphs compiled into the program; the definitions are generated from data/graphs.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_BUILTIN_GRAPHS_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_BUILTIN_GRAPHS_H_

#include "absl/strings/string_view.h"

namespace posewire::graph {

// Returns the text of a file of data/graphs; empty if there is none with that name.
absl::string_view BuiltinGraph(absl::string_view file_name);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_BUILTIN_GRAPHS_H_
