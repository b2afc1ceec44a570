// Reads graphs as people write them.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_FILE_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/graph_loader/source_map.h"
#include "posewire.graph.v1.pb.h"

namespace posewire::graph {

// A larger file is refused.
inline constexpr size_t kMostGraph_bytes = 4u << 20;

// Reads protobuf text, or JSON when the first sign is '{'. INVALID_ARGUMENT lists the errors, a
// line each; of text "FILE:LINE:COLUMN: ", and all that can be told apart: unknown names first, and
// values of the wrong kind where the line stands for itself. Of JSON, the first. `file` is what
// errors call it; "" leaves it out. `places` (may be null) is told where the parts stand, if it is
// text.
absl::StatusOr<v1::AnimationGraph> ParseGraph(absl::string_view text, const std::string& file = "",
                                              SourceMap* places = nullptr);
// Reads a file. Errors are those of files::ReadWhole and ParseGraph.
absl::StatusOr<v1::AnimationGraph> ReadGraph(const std::string& path, SourceMap* places = nullptr);

// "default" or "passthrough": the text that is compiled in. NOT_FOUND lists the names.
absl::StatusOr<std::string> BuiltinGraphText(absl::string_view name);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_GRAPH_FILE_H_
