#include "libs/graph_loader/graph_text.h"

#include <google/protobuf/descriptor.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/prototext/read_text.h"

namespace posewire::graph {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

// Stores the locations of the fields of one part, by their paths.
void NoteFields(const Message& message, const TextFormat::ParseInfoTree& tree,
                const std::string& path, absl::string_view part, const std::string& name,
                SourceMap* places) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    // The kind of a node is not part of the path in errors.
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
  TextFormat::ParseInfoTree tree;
  const absl::Status status = prototext::ReadText(text, file, graph, &tree);
  if (status.ok() && places != nullptr) NoteAll(*graph, tree, places);
  return status;
}

}  // namespace posewire::graph
