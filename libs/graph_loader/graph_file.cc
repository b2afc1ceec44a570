#include "libs/graph_loader/graph_file.h"

#include <google/protobuf/util/json_util.h>

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/files/read.h"
#include "libs/graph_loader/builtin_graphs.h"
#include "libs/graph_loader/graph_text.h"

namespace posewire::graph {

absl::StatusOr<v1::AnimationGraph> ParseGraph(absl::string_view text, const std::string& file,
                                              SourceMap* places) {
  const std::string begin = file.empty() ? "" : absl::StrCat(file, ": ");
  if (text.size() > kMostGraph_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(begin, "the graph is too large; at most ", kMostGraph_bytes, " bytes may be"));
  }
  v1::AnimationGraph graph;
  if (places != nullptr) *places = SourceMap(file);
  if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "{")) {
    const auto status = google::protobuf::util::JsonStringToMessage(std::string(text), &graph);
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(begin, "JSON: ", status.ToString()));
    }
    return graph;
  }
  if (absl::Status s = ReadText(text, file, &graph, places); !s.ok()) return s;
  // The text format allows any bytes in strings, but other formats, and clients that receive the
  // graph, do not.
  v1::AnimationGraph again;
  if (!again.ParseFromString(graph.SerializeAsString())) {
    return absl::InvalidArgumentError(absl::StrCat(begin, "a text of the graph is not UTF-8"));
  }
  return graph;
}

absl::StatusOr<v1::AnimationGraph> ReadGraph(const std::string& path, SourceMap* places) {
  auto text = files::ReadWhole(path, kMostGraph_bytes);
  if (!text.ok()) return text.status();
  return ParseGraph(*text, path, places);
}

absl::StatusOr<std::string> BuiltinGraphText(absl::string_view name) {
  const absl::string_view text = BuiltinGraph(absl::StrCat(name, ".graph.txtpb"));
  if (text.empty()) {
    return absl::NotFoundError(absl::StrCat("no built-in graph \"", absl::CHexEscape(name),
                                            "\"; known are default, passthrough"));
  }
  return std::string(text);
}

}  // namespace posewire::graph
