// Builds arrangements and timelines on top of other nodes.
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/graph/arrangement_node.h"
#include "libs/graph/timeline_node.h"
#include "libs/graph_loader/builder.h"
#include "libs/graph_loader/quoted.h"
#include "libs/names/known_names.h"

namespace posewire::graph {
namespace {

constexpr double kMostEase_s = 5, kLeastEase_s = 0.02;

template <typename Table>
const Table* Find(const std::vector<Table>& tables, const std::string& name) {
  for (const Table& table : tables) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

template <typename Table>
std::vector<std::string> Names(const std::vector<Table>& tables) {
  std::vector<std::string> names;
  for (const Table& table : tables) names.push_back(table.name);
  return names;
}

// Returns for each value of a choice the table with that name, or null if there is none.
template <typename Table>
std::vector<const Table*> TablesOfChoice(const Builder& b, int variable,
                                         const std::vector<Table>& tables) {
  std::vector<const Table*> of;
  for (const std::string& value : b.stock().variables->spec(variable).values) {
    of.push_back(Find(tables, value));
  }
  return of;
}

}  // namespace

std::unique_ptr<Node> BuildNode(const v1::ArrangementNode& node, Builder& b) {
  auto built =
      std::make_unique<ArrangementNode>(*b.rig(), b.name(), b.Child("below", node.below()));
  const auto& arrangements = b.stock().arrangements;
  if (node.variable().empty() && node.on_source().empty()) {
    b.Error("variable", "a choice must be named here, or an arrangement in the field on_source");
  }
  const int variable = b.Variable("variable", node.variable(), VariableType::kChoice);
  if (variable >= 0) {
    const int none = b.ChoiceOf("variable", variable, "none");
    built->Follow(variable, none, TablesOfChoice(b, variable, arrangements));
  }
  if (!node.on_source().empty()) {
    const Arrangement* start = Find(arrangements, node.on_source());
    if (start == nullptr) {
      b.Error("on_source", absl::StrCat("there is no arrangement ", Quoted(node.on_source()),
                                        KnownNames(node.on_source(), Names(arrangements))));
    }
    built->set_on_source(start);
  }
  if (node.ease_s() != 0) {
    built->set_ease_s(b.Plain("ease_s", node.ease_s(), kLeastEase_s, kMostEase_s));
  }
  if (auto mask = b.MakeMask("mask", node.has_mask(), node.mask())) {
    built->set_mask(*std::move(mask));
  }
  return built;
}

std::unique_ptr<Node> BuildNode(const v1::TimelineNode& node, Builder& b) {
  auto built = std::make_unique<TimelineNode>(*b.rig(), b.name(), b.Child("below", node.below()));
  if (node.variable().empty()) b.Error("variable", "a choice must be named here");
  const int variable = b.Variable("variable", node.variable(), VariableType::kChoice);
  std::vector<const Timeline*> timelines;
  if (variable >= 0) {
    const int none = b.ChoiceOf("variable", variable, "none");
    timelines = TablesOfChoice(b, variable, b.stock().timelines);
    built->Follow(variable, none, timelines);
  }
  built->set_seek(b.Variable("seek_variable", node.seek_variable(), VariableType::kNumber));
  built->set_speed(b.MakeNumber("speed", node.has_speed(), node.speed(), 1, 0, 20));
  const int choice =
      b.Variable("arrangement_variable", node.arrangement_variable(), VariableType::kChoice);
  std::vector<int> values(b.stock().arrangements.size(), 0);
  for (const Timeline* timeline : timelines) {
    if (timeline == nullptr || timeline->arrangements.empty()) continue;
    if (node.arrangement_variable().empty()) {
      b.Error("arrangement_variable",
              absl::StrCat("timeline \"", timeline->name,
                           "\" plays arrangements; the choice that they set must be named here"));
    }
    for (const Timeline::ArrangementKey& key : timeline->arrangements) {
      const auto at = static_cast<size_t>(key.arrangement);
      if (choice < 0 || at >= values.size()) continue;
      values[at] = b.ChoiceOf("arrangement_variable", choice, b.stock().arrangements[at].name);
    }
  }
  built->set_arrangements(choice, std::move(values));
  if (node.ease_s() != 0) {
    built->set_ease_s(b.Plain("ease_s", node.ease_s(), kLeastEase_s, kMostEase_s));
  }
  if (auto mask = b.MakeMask("mask", node.has_mask(), node.mask())) {
    built->set_mask(*std::move(mask));
  }
  return built;
}

}  // namespace posewire::graph
