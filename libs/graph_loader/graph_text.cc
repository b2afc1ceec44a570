// Protobuf's reader ends at the first error, but passes over names that it does not know when told
// to, and says so. What ends it is noted, its line blanked, and the text read again; a line that
// opens or closes something cannot be blanked, and then that was the last error.
#include "libs/graph_loader/graph_text.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/graph_loader/errors.h"
#include "libs/names/known_names.h"

namespace posewire::graph {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

constexpr int kMostReads = 20;

// The fields that a message may hold.
std::vector<std::string> FieldsOf(const std::string& type) {
  const auto* pool = v1::AnimationGraph::descriptor()->file()->pool();
  std::vector<std::string> names;
  const Descriptor* message = pool->FindMessageTypeByName(type);
  for (int i = 0; message != nullptr && i < message->field_count(); ++i) {
    names.push_back(message->field(i)->name());
  }
  return names;
}

// The reader's words, with what would be right where they are: Message type "T" has no field named
// "F".
std::string Explained(const std::string& message) {
  const std::vector<std::string> parts = absl::StrSplit(message, '"');
  if (parts.size() == 5 && parts[2] == " has no field named ") {
    return absl::StrCat("there is no field \"", parts[3], "\" here",
                        KnownNames(parts[3], FieldsOf(parts[1])));
  }
  return message;
}

// By line and column, counted from 1.
using Found = std::map<std::pair<int, int>, std::string>;

class Collector : public google::protobuf::io::ErrorCollector {
 public:
  explicit Collector(Found* found) : found_(*found) {}
  void AddError(int line, int column, const std::string& message) override {
    last_line_ = line;
    found_.emplace(std::pair(line + 1, column + 1), Explained(message));
  }
  // Of names that it passed over.
  void AddWarning(int line, int column, const std::string& message) override {
    found_.emplace(std::pair(line + 1, column + 1), Explained(message));
  }
  // From 0; below 0: there was no error, or it has no line.
  int last_line() const { return last_line_; }

 private:
  Found& found_;
  int last_line_ = -1;
};

// Blanks the line if all that it opens it closes.
bool Blank(int line, std::string* text) {
  std::vector<std::string> lines = absl::StrSplit(*text, '\n');
  if (line < 0 || line >= static_cast<int>(lines.size())) return false;
  std::string& bad = lines[static_cast<size_t>(line)];
  const auto count = [&](char c) { return std::count(bad.begin(), bad.end(), c); };
  const bool whole = count('{') == count('}') && count('[') == count(']') &&
                     count('<') == count('>') && count('"') % 2 == 0;
  if (!whole || bad.empty()) return false;
  bad.clear();
  *text = absl::StrJoin(lines, "\n");
  return true;
}

// Notes the fields of one part, by their paths.
void NoteFields(const Message& message, const TextFormat::ParseInfoTree& tree,
                const std::string& path, absl::string_view part, const std::string& name,
                SourceMap* places) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    // The kind of a node is no part of the path that errors give.
    const bool is_kind =
        field->containing_oneof() == v1::Node::descriptor()->FindOneofByName("kind");
    const int count = field->is_repeated() ? message.GetReflection()->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      const int index = field->is_repeated() ? i : -1;
      std::string to = is_kind ? "" : absl::StrCat(path, path.empty() ? "" : ".", field->name());
      const int line = tree.GetLocation(field, index).line;
      if (!is_kind && line >= 0) {
        if (i == 0) places->Note(part, name, to, line + 1);
        if (field->is_repeated()) absl::StrAppend(&to, "[", i, "]");
        places->Note(part, name, to, line + 1);
      }
      const auto* below = tree.GetTreeForNested(field, index);
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || below == nullptr) continue;
      const Message& inner = field->is_repeated()
                                 ? message.GetReflection()->GetRepeatedMessage(message, field, i)
                                 : message.GetReflection()->GetMessage(message, field);
      NoteFields(inner, *below, to, part, name, places);
    }
  }
}

template <typename Parts>
void NoteParts(const Parts& parts, absl::string_view part, const char* field,
               const TextFormat::ParseInfoTree& tree, SourceMap* places) {
  const FieldDescriptor* of = v1::AnimationGraph::descriptor()->FindFieldByName(field);
  for (int i = 0; i < parts.size(); ++i) {
    const int line = tree.GetLocation(of, i).line;
    if (line >= 0) places->Note(part, parts[i].name(), "", line + 1);
    const auto* below = tree.GetTreeForNested(of, i);
    if (below != nullptr) NoteFields(parts[i], *below, "", part, parts[i].name(), places);
  }
}

void NoteAll(const v1::AnimationGraph& graph, const TextFormat::ParseInfoTree& tree,
             SourceMap* places) {
  NoteParts(graph.nodes(), "node", "nodes", tree, places);
  NoteParts(graph.variables(), "variable", "variables", tree, places);
  NoteParts(graph.arrangements(), "arrangement", "arrangements", tree, places);
  NoteParts(graph.timelines(), "timeline", "timelines", tree, places);
  NoteParts(graph.clip_aliases(), "clip_alias", "clip_aliases", tree, places);
  const int line =
      tree.GetLocation(v1::AnimationGraph::descriptor()->FindFieldByName("output"), -1).line;
  if (line >= 0) places->Note("output", "", "", line + 1);
}

}  // namespace

absl::Status ReadText(absl::string_view text, const std::string& file, v1::AnimationGraph* graph,
                      SourceMap* places) {
  Found found;
  std::string left(text);
  for (int i = 0; i < kMostReads; ++i) {
    Collector collector(&found);
    TextFormat::ParseInfoTree tree;
    TextFormat::Parser parser;
    parser.RecordErrorsTo(&collector);
    parser.WriteLocationsTo(&tree);
    parser.SetRecursionLimit(100);
    parser.AllowUnknownField(true);
    if (parser.ParseFromString(left, graph)) {
      if (found.empty() && places != nullptr) NoteAll(*graph, tree, places);
      break;
    }
    if (!Blank(collector.last_line(), &left)) break;
  }
  if (found.empty()) return absl::OkStatus();
  std::vector<std::string> lines;
  for (const auto& [at, message] : found) {
    if (lines.size() == Errors::kMost) break;
    lines.push_back(
        absl::StrCat(file, file.empty() ? "" : ":", at.first, ":", at.second, ": ", message));
  }
  return absl::InvalidArgumentError(absl::StrJoin(lines, "\n"));
}

}  // namespace posewire::graph
