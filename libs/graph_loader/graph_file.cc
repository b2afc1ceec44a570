#include "libs/graph_loader/graph_file.h"

#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/graph_loader/builtin_graphs.h"
#include "libs/graph_loader/graph_text.h"

namespace posewire::graph {
namespace {

// A file of more than this is no graph.
constexpr size_t kMostBytes = 4u << 20;

// Never waits: a pipe in the file's place would hold up whoever watches it.
absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat info = {};
  if (fd < 0 || fstat(fd, &info) != 0) {
    const int error = errno;
    if (fd >= 0) close(fd);
    return absl::NotFoundError(
        absl::StrCat(path, ": the file cannot be read: ", std::strerror(error)));
  }
  std::string text;
  ssize_t got = S_ISREG(info.st_mode) ? 1 : 0;
  // One byte more than a graph may have, so that ParseGraph sees that it is too large.
  while (got > 0 && text.size() <= kMostBytes) {
    char part[65536];
    got = read(fd, part, sizeof(part));
    if (got > 0) text.append(part, static_cast<size_t>(got));
  }
  close(fd);
  if (!S_ISREG(info.st_mode)) {
    return absl::NotFoundError(
        absl::StrCat(path, ": the file cannot be read: it is a folder, pipe or device"));
  }
  if (got < 0) return absl::NotFoundError(absl::StrCat(path, ": the file cannot be read"));
  return text;
}

}  // namespace

absl::StatusOr<v1::AnimationGraph> ParseGraph(absl::string_view text, const std::string& file,
                                              SourceMap* places) {
  const std::string begin = file.empty() ? "" : absl::StrCat(file, ": ");
  if (text.size() > kMostBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(begin, "the graph is too large; at most ", kMostBytes, " bytes may be"));
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
  // The text form takes any bytes in a text; all others, and who is told of the graph, do not.
  v1::AnimationGraph again;
  if (!again.ParseFromString(graph.SerializeAsString())) {
    return absl::InvalidArgumentError(absl::StrCat(begin, "a text of the graph is not UTF-8"));
  }
  return graph;
}

absl::StatusOr<v1::AnimationGraph> ReadGraph(const std::string& path, SourceMap* places) {
  auto text = ReadFile(path);
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
