// Reads a graph's arrangements and timelines.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_TABLES_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_TABLES_H_

#include <string>
#include <vector>

#include "libs/graph_loader/builder.h"

namespace posewire::graph {

// Require everything in the stock except the tables themselves. Every error is added to `errors`:
// arrangement or timeline, field, the problem, and valid values.
std::vector<Arrangement> ReadArrangements(const Stock& stock, Errors& errors);
std::vector<Timeline> ReadTimelines(const Stock& stock, Errors& errors);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_TABLES_H_
