// Parses a graph in protobuf's text format.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_TEXT_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/graph_loader/source_map.h"
#include "posewire.graph.v1.pb.h"

namespace posewire::graph {

// Parses `text` into `graph`, and stores the locations of its parts in `places` (may be null).
// INVALID_ARGUMENT lists the errors, one per line, each beginning with "FILE:LINE:COLUMN: "
// ("LINE:COLUMN: " if `file` is empty).
absl::Status ReadText(absl::string_view text, const std::string& file, v1::AnimationGraph* graph,
                      SourceMap* places);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_TEXT_H_
