// A graph in protobuf's text form.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_TEXT_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/graph_loader/source_map.h"
#include "posewire.graph.v1.pb.h"

namespace posewire::graph {

// Reads `text` into `graph`, and notes in `places` (may be null) where its parts stand.
// INVALID_ARGUMENT lists what is wrong, "FILE:LINE:COLUMN: ..." a line each ("LINE:COLUMN: " where
// `file` is empty).
absl::Status ReadText(absl::string_view text, const std::string& file, v1::AnimationGraph* graph,
                      SourceMap* places);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_TEXT_H_
