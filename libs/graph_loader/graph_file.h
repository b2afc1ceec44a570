// Reads graphs as people write them.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_FILE_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "posewire.graph.v1.pb.h"

namespace posewire::graph {

// Reads protobuf text, or JSON when the first sign is '{'. INVALID_ARGUMENT lists every error with
// its line and column.
absl::StatusOr<v1::AnimationGraph> ParseGraph(absl::string_view text);
// Reads a file; errors begin with the path.
absl::StatusOr<v1::AnimationGraph> ReadGraph(const std::string& path);

// "default" or "passthrough": the text that is compiled in. NOT_FOUND lists the names.
absl::StatusOr<std::string> BuiltinGraphText(absl::string_view name);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_FILE_H_
