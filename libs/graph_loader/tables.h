// Reads a graph's arrangements and timelines.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_TABLES_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_TABLES_H_

#include <string>
#include <vector>

#include "libs/graph_loader/builder.h"

namespace posewire::graph {

// Needs all of the stock but the tables themselves. Every error is added to `errors`: arrangement
// or timeline, field, what is wrong, what would be right.
std::vector<Arrangement> ReadArrangements(const Stock& stock, Errors& errors);
std::vector<Timeline> ReadTimelines(const Stock& stock, Errors& errors);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_TABLES_H_
