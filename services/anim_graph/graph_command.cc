#include "services/anim_graph/graph_command.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <optional>
#include <set>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/files/read.h"
#include "libs/graph_loader/graph_file.h"
#include "libs/program/child.h"
#include "libs/program/terminal_text.h"
#include "libs/service/memory_file.h"
#include "services/anim_graph/config.h"

namespace posewire::anim_graph {
namespace {

using program::TerminalText;

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

struct Options {
  Config config;
  std::string out;
};

// Everything that a node refers to.
struct Uses {
  std::vector<std::pair<std::string, std::string>> nodes;  // field, name
  std::set<std::string> variables;
  std::vector<std::string> values;  // "clip wave"
};

void Collect(const Message& message, const std::string& prefix,
             const std::set<std::string>& node_names, const std::set<std::string>& variables,
             Uses& uses);

void CollectField(const Message& message, const FieldDescriptor* field, int index,
                  const std::set<std::string>& node_names, const std::set<std::string>& variables,
                  const std::string& prefix, Uses& uses) {
  const Reflection* r = message.GetReflection();
  const bool repeated = field->is_repeated();
  const std::string label = prefix + field->name();
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    Collect(repeated ? r->GetRepeatedMessage(message, field, index) : r->GetMessage(message, field),
            absl::StrCat(label, "."), node_names, variables, uses);
    return;
  }
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) return;
  const std::string value =
      repeated ? r->GetRepeatedString(message, field, index) : r->GetString(message, field);
  static const std::set<std::string> kNodeFields = {"below",     "layer", "delta",
                                                    "reference", "node",  "idle"};
  if (kNodeFields.contains(field->name()) && node_names.contains(value)) {
    uses.nodes.emplace_back(label, value);
  } else if ((absl::EndsWith(field->name(), "variable") || field->name() == "follow") &&
             variables.contains(value)) {
    uses.variables.insert(value);
  } else if (!value.empty() && uses.values.size() < 6) {
    uses.values.push_back(absl::StrCat(label, " ", value));
  }
}

void Collect(const Message& message, const std::string& prefix,
             const std::set<std::string>& node_names, const std::set<std::string>& variables,
             Uses& uses) {
  const Reflection* r = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  r->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int n = field->is_repeated() ? r->FieldSize(message, field) : 1;
    for (int i = 0; i < n; ++i) {
      CollectField(message, field, i, node_names, variables, prefix, uses);
    }
  }
}

// Returns the oneof field that is set, or null.
const FieldDescriptor* KindOf(const graph::v1::Node& node) {
  return node.GetReflection()->GetOneofFieldDescriptor(
      node, node.GetDescriptor()->FindOneofByName("kind"));
}

std::string Quoted(absl::string_view text) {
  return absl::StrCat(
      "\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}}), "\"");
}

std::string RangeText(const graph::VariableSpec& spec) {
  if (spec.type == graph::VariableType::kChoice) {
    return absl::StrCat(spec.values.size(), " values: ", absl::StrJoin(spec.values, ", "));
  }
  if (spec.type == graph::VariableType::kFlag) return "false or true";
  std::string text = spec.type == graph::VariableType::kVector ? "x, y, z" : "number";
  if (std::isfinite(spec.min)) absl::StrAppend(&text, " from ", spec.min);
  if (std::isfinite(spec.max)) absl::StrAppend(&text, " to ", spec.max);
  if (!spec.unit.empty()) absl::StrAppend(&text, " ", spec.unit);
  return text;
}

void List(const GraphStore& store) {
  const auto asset = store.asset();
  const graph::v1::AnimationGraph graph = store.graph();
  std::cout << "graph " << TerminalText(asset->name()) << "\n";
  if (!graph.description().empty()) {
    std::cout << "  " << TerminalText(graph.description()) << "\n";
  }
  std::cout << "variables\n";
  for (int i = 0; i < asset->variables()->size(); ++i) {
    const graph::VariableSpec& spec = asset->variables()->spec(i);
    std::cout << "  "
              << TerminalText(absl::StrCat(spec.name, " = ", spec.Format(spec.initial), "  (",
                                           RangeText(spec), ")"))
              << "\n";
    if (!spec.description.empty()) std::cout << "    " << TerminalText(spec.description) << "\n";
  }
  if (graph.events_size() > 0) {
    std::cout << "events\n  " << TerminalText(absl::StrJoin(graph.events(), ", ")) << "\n";
  }
  std::cout << "nodes, the output is " << TerminalText(graph.output()) << "\n";
  for (const auto& node : graph.nodes()) {
    const FieldDescriptor* kind = KindOf(node);
    std::cout << "  " << TerminalText(node.name()) << "  " << (kind != nullptr ? kind->name() : "?")
              << "\n";
  }
  const auto names = [](const auto& items) {
    return TerminalText(absl::StrJoin(items, ", ", [](std::string* out, const auto& item) {
      absl::StrAppend(out, item.name());
    }));
  };
  if (graph.arrangements_size() > 0) {
    std::cout << "arrangements\n  " << names(graph.arrangements()) << "\n";
  }
  if (graph.timelines_size() > 0) std::cout << "timelines\n  " << names(graph.timelines()) << "\n";
}

int FailWith(const std::string& text) {
  std::cerr << "anim_graph graph: " << program::TerminalLines(text) << "\n";
  return 1;
}

// Runs Graphviz to draw the SVG.
int WriteSvg(const std::string& dot, const std::string& out) {
  const auto input = service::MakeMemoryFile(dot);
  if (!input.ok()) return FailWith(std::string(input.status().message()));
  const auto output = service::MakeMemoryFile("");
  if (!output.ok()) return FailWith(std::string(output.status().message()));
  const auto [error, child] = program::StartChild(
      {"dot", "-Tsvg"},
      {{.ours = input->get(), .its = STDIN_FILENO}, {.ours = output->get(), .its = STDOUT_FILENO}},
      /*own_group=*/false);
  int status = 0;
  if (error == 0) waitpid(child, &status, 0);
  if (error != 0) {
    return FailWith("Graphviz is needed for SVG: apt-get install graphviz, or write a .dot file");
  }
  if (status != 0) return FailWith(absl::StrCat("dot could not draw ", out));
  std::string svg;
  std::array<char, 64 << 10> block;
  for (ssize_t n = 0; (n = pread(output->get(), block.data(), block.size(),
                                 static_cast<off_t>(svg.size()))) > 0;) {
    svg.append(block.data(), static_cast<size_t>(n));
  }
  const absl::Status written = files::WriteWhole(out, svg);
  return written.ok() ? 0 : FailWith(std::string(written.message()));
}

int Draw(const GraphStore& store, const std::string& out) {
  const std::string dot = DrawDot(store.graph());
  if (absl::EndsWith(out, ".svg")) return WriteSvg(dot, out);
  if (out.empty()) {
    std::cout << dot;
    return 0;
  }
  const absl::Status written = files::WriteWhole(out, dot);
  return written.ok() ? 0 : FailWith(std::string(written.message()));
}

int Show(const std::string& name) {
  auto text = graph::BuiltinGraphText(name);
  if (text.ok()) {
    std::cout << *text;
    return 0;
  }
  const auto file = files::ReadWhole(name, graph::kMostGraph_bytes);
  if (!file.ok()) {
    return FailWith(absl::StrCat(file.status().message(), "; nor is it a built-in graph"));
  }
  std::cout << *file;
  return 0;
}

}  // namespace

std::string DrawDot(const graph::v1::AnimationGraph& graph) {
  std::set<std::string> nodes, variables;
  for (const auto& node : graph.nodes()) nodes.insert(node.name());
  for (const auto& v : graph.variables()) variables.insert(v.name());
  std::string out = absl::StrCat("digraph ", Quoted(graph.name()),
                                 " {\n  rankdir=LR;\n  node [shape=box, style=rounded, "
                                 "fontname=\"sans-serif\", fontsize=11];\n  edge [fontname=\""
                                 "sans-serif\", fontsize=9];\n");
  std::set<std::string> followed;
  for (const auto& node : graph.nodes()) {
    const FieldDescriptor* kind = KindOf(node);
    Uses uses;
    if (kind != nullptr) {
      Collect(node.GetReflection()->GetMessage(node, kind), "", nodes, variables, uses);
    }
    std::string label = absl::StrCat(node.name(), "\n", kind != nullptr ? kind->name() : "?");
    for (const auto& value : uses.values) absl::StrAppend(&label, "\n", value);
    absl::StrAppend(&out, "  ", Quoted("node " + node.name()), " [label=", Quoted(label),
                    node.name() == graph.output() ? ", peripheries=2" : "", "];\n");
    for (const auto& [field, name] : uses.nodes) {
      absl::StrAppend(&out, "  ", Quoted("node " + name), " -> ", Quoted("node " + node.name()),
                      field == "below" ? "" : absl::StrCat(" [label=", Quoted(field), "]"), ";\n");
    }
    for (const auto& variable : uses.variables) {
      followed.insert(variable);
      absl::StrAppend(&out, "  ", Quoted("variable " + variable), " -> ",
                      Quoted("node " + node.name()), " [style=dashed];\n");
    }
  }
  for (const auto& variable : followed) {
    absl::StrAppend(&out, "  ", Quoted("variable " + variable),
                    " [shape=ellipse, style=dashed, label=", Quoted(variable), "];\n");
  }
  out += "}\n";
  return out;
}

int RunGraphCommand(int argc, const char* const* argv) {
  Options options;
  service::Flags flags({.name = "anim_graph graph",
                        .summary =
                            "Checks, draws and lists a graph. GRAPH is a file, \"default\" or "
                            "\"passthrough\".",
                        .examples = {"anim_graph graph check my.graph.txtpb --clips clips/",
                                     "anim_graph graph dot default --out default.svg",
                                     "anim_graph graph list default",
                                     "anim_graph graph show default > my.graph.txtpb"}});
  const auto command = [&](const char* name, const char* help) {
    flags.AddCommand(name, help);
    flags.AddPositional(name, "GRAPH", &options.config.graph.graph, "The graph.",
                        {.required = true});
  };
  command("check", "Checks it, and prints all its errors.");
  command("dot", "Draws it, for Graphviz or as SVG.");
  command("list", "Lists its variables and nodes.");
  command("show", "Prints its text.");
  flags.Add("clips", &options.config.graph.clips_dir, "Folder of clips and arrangements.");
  flags.Add("rig", &options.config.rig, "Rig that it is checked for.");
  flags.Add("out", &options.out, "File to draw to: .dot or .svg; not given: dot, on stdout.",
            {.commands = {"dot"}});
  if (std::optional<int> code = flags.Parse(argc, argv)) return *code;

  const std::string& name = options.config.graph.graph;
  if (flags.command() == "show") return Show(name);
  auto made = MakeParts(options.config);
  if (!made.ok()) return FailWith(std::string(made.status().message()));
  const GraphStore& store = *made->graphs;
  if (flags.command() == "dot") return Draw(store, options.out);
  if (flags.command() == "list") {
    List(store);
    return 0;
  }
  const graph::v1::AnimationGraph graph = store.graph();
  std::cout << name << ": good; " << graph.nodes_size() << " nodes, " << graph.variables_size()
            << " variables, " << store.asset()->clips()->clips().size() << " clips\n";
  return 0;
}

}  // namespace posewire::anim_graph
