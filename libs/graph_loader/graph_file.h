// Reads graph files.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_FILE_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/graph_loader/source_map.h"
#include "posewire.graph.v1.pb.h"

namespace posewire::graph {

// Larger files are rejected.
inline constexpr size_t kMostGraph_bytes = 4u << 20;

// Reads protobuf text, or JSON if the first character is '{'. INVALID_ARGUMENT lists the errors,
// one per line. For text, lines begin with "FILE:LINE:COLUMN: " and include all errors that can be
// distinguished: unknown names first, and values of the wrong type if the line is independent. For
// JSON, only the first error. `file` is the name in errors; "" omits it. `places` (may be null)
// gets the locations of the parts, for text only.
absl::StatusOr<v1::AnimationGraph> ParseGraph(absl::string_view text, const std::string& file = "",
                                              SourceMap* places = nullptr);
// Reads a file. Errors: see files::ReadWhole and ParseGraph.
absl::StatusOr<v1::AnimationGraph> ReadGraph(const std::string& path, SourceMap* places = nullptr);

// Returns the compiled-in text of "default" or "passthrough". NOT_FOUND lists the names.
absl::StatusOr<std::string> BuiltinGraphText(absl::string_view name);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_FILE_H_
