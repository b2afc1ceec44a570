#include "libs/graph_loader/graph_file.h"

#include <fcntl.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/graph_loader/builtin_graphs.h"

namespace posewire::graph {
namespace {

// A file of more than this is no graph.
constexpr size_t kMostBytes = 4u << 20;

class Errors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    list_.push_back(absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message));
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::vector<std::string> list_;
};

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

absl::StatusOr<v1::AnimationGraph> ParseGraph(absl::string_view text) {
  v1::AnimationGraph graph;
  if (text.size() > kMostBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the graph is too large; at most ", kMostBytes, " bytes may be"));
  }
  const std::string copy(text);
  if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "{")) {
    const auto status = google::protobuf::util::JsonStringToMessage(copy, &graph);
    if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat("JSON: ", status.ToString()));
    return graph;
  }
  Errors errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(100);
  if (!parser.ParseFromString(copy, &graph)) {
    return absl::InvalidArgumentError(absl::StrJoin(errors.list(), "\n"));
  }
  // The text form takes any bytes in a text; all others, and who is told of the graph, do not.
  v1::AnimationGraph again;
  if (!again.ParseFromString(graph.SerializeAsString())) {
    return absl::InvalidArgumentError("a text of the graph is not UTF-8");
  }
  return graph;
}

absl::StatusOr<v1::AnimationGraph> ReadGraph(const std::string& path) {
  auto text = ReadFile(path);
  if (!text.ok()) return text.status();
  auto graph = ParseGraph(*text);
  if (!graph.ok()) {
    return absl::Status(graph.status().code(), absl::StrCat(path, ": ", graph.status().message()));
  }
  return graph;
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
