#include "libs/graph_loader/make_graph_asset.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/graph_loader/builder.h"
#include "libs/graph_loader/carry_clips.h"
#include "libs/graph_loader/errors.h"
#include "libs/graph_loader/graph_file.h"
#include "libs/graph_loader/quoted.h"
#include "libs/graph_loader/tables.h"
#include "libs/names/known_names.h"
#include "libs/skel/body_site.h"

namespace posewire::graph {
namespace {

// Checks the limits of messages to sinks (posewire.character.v1.Appearance).
void CheckAppearance(const std::vector<VariableSpec>& specs, Errors& errors) {
  constexpr size_t kMostBytes = 128, kMostParts = 32;
  std::set<std::string> parts;
  for (const VariableSpec& spec : specs) {
    if (spec.appearance.empty()) continue;
    const auto add = [&](const std::string& why) {
      errors.Add("variable", spec.name, "choice.appearance", why);
    };
    if (!parts.insert(spec.appearance).second) {
      add(absl::StrCat("another variable chooses ", Quoted(spec.appearance), " already"));
    }
    if (parts.size() == kMostParts + 1) {
      add(absl::StrFormat("one more than the %d parts that can be chosen", kMostParts));
    }
    size_t longest = spec.appearance.size();
    for (const std::string& value : spec.values) longest = std::max(longest, value.size());
    if (longest > kMostBytes) {
      add(absl::StrFormat("a name of %d bytes; at most %d are right", longest, kMostBytes));
    }
  }
}

void CheckNames(absl::string_view what, const std::vector<std::string>& names, Errors& errors) {
  std::set<std::string> seen;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) {
      errors.Add(absl::StrFormat("%s %d: it has no name", what, i));
    } else if (!seen.insert(names[i]).second) {
      errors.Add(what, names[i], "", "the name is used twice");
    }
  }
}

bool IsWord(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

bool IsOfClips(v1::ChoiceType::ValuesFrom values) {
  return values == v1::ChoiceType::GESTURES || values == v1::ChoiceType::FACIAL_GESTURES ||
         values == v1::ChoiceType::CLIPS;
}

// Returns the names that a choice takes from elsewhere.
std::vector<std::string> ValuesFrom(const v1::ChoiceType& choice, const v1::AnimationGraph& graph,
                                    const clip::ClipLibrary& clips) {
  std::vector<std::string> names;
  const auto takes = [&](const clip::Clip& clip) {
    switch (choice.values_from()) {
      case v1::ChoiceType::GESTURES:
        return clip.kind() == clip::ClipKind::kGesture;
      case v1::ChoiceType::FACIAL_GESTURES:
        return clip.kind() == clip::ClipKind::kFacialGesture;
      case v1::ChoiceType::CLIPS:
        return true;
      default:
        return false;
    }
  };
  for (const auto& clip : clips.clips()) {
    if (takes(*clip)) names.push_back(clip->name());
  }
  for (const auto& alias : graph.clip_aliases()) {
    const clip::Clip* clip = clips.Find(alias.clip());
    if (clip != nullptr && takes(*clip)) names.push_back(alias.name());
  }
  if (choice.values_from() == v1::ChoiceType::ARRANGEMENTS) {
    for (const auto& a : graph.arrangements()) names.push_back(a.name());
  }
  if (choice.values_from() == v1::ChoiceType::TIMELINES) {
    for (const auto& t : graph.timelines()) names.push_back(t.name());
  }
  return names;
}

VariableSpec MakeChoice(const v1::Variable& from, const v1::AnimationGraph& graph,
                        const clip::ClipLibrary& clips, Errors& errors) {
  VariableSpec spec;
  spec.type = VariableType::kChoice;
  spec.values.assign(from.choice().values().begin(), from.choice().values().end());
  spec.takes_variants = IsOfClips(from.choice().values_from());
  std::set<std::string> seen(spec.values.begin(), spec.values.end());
  if (seen.size() != spec.values.size()) {
    errors.Add("variable", from.name(), "", "a value is given twice");
  }
  for (std::string& name : ValuesFrom(from.choice(), graph, clips)) {
    if (seen.insert(name).second) spec.values.push_back(std::move(name));
  }
  if (spec.values.empty()) {
    errors.Add("variable", from.name(), "", "a choice needs at least one value");
    spec.values.push_back("none");
  }
  spec.appearance = from.choice().appearance();
  if (!from.choice().default_value().empty()) {
    const int index = spec.FindChoice(from.choice().default_value());
    if (index < 0) {
      errors.Add("variable", from.name(), "choice.default_value",
                 absl::StrCat("there is no value ", Quoted(from.choice().default_value()),
                              KnownNames(from.choice().default_value(), spec.values)));
    }
    spec.initial.number = std::max(0, index);
  }
  return spec;
}

VariableSpec MakeSpec(const v1::Variable& from, const v1::AnimationGraph& graph,
                      const clip::ClipLibrary& clips, Errors& errors) {
  VariableSpec spec;
  switch (from.type_case()) {
    case v1::Variable::kNumber:
      if (from.number().has_min()) spec.min = from.number().min();
      if (from.number().has_max()) spec.max = from.number().max();
      spec.initial.number = from.number().default_value();
      spec.unit = from.number().unit();
      if (!(spec.min <= spec.initial.number && spec.initial.number <= spec.max)) {
        errors.Add(
            "variable", from.name(), "number.default_value",
            absl::StrFormat("%g is not within %g..%g", spec.initial.number, spec.min, spec.max));
      }
      break;
    case v1::Variable::kChoice:
      spec = MakeChoice(from, graph, clips, errors);
      break;
    case v1::Variable::kFlag:
      spec.type = VariableType::kFlag;
      spec.initial.number = from.flag().default_value() ? 1 : 0;
      break;
    case v1::Variable::kVector:
      spec.type = VariableType::kVector;
      spec.initial.vector = {static_cast<float>(from.vector().x()),
                             static_cast<float>(from.vector().y()),
                             static_cast<float>(from.vector().z())};
      for (const double v : {from.vector().x(), from.vector().y(), from.vector().z()}) {
        if (std::fabs(v) <= 1e6) continue;
        errors.Add("variable", from.name(), "vector", absl::StrFormat("%g is not within +-1e6", v));
      }
      break;
    case v1::Variable::TYPE_NOT_SET:
      errors.Add("variable", from.name(), "", "one of number, choice, flag, vector must be given");
      break;
  }
  if (!IsWord(from.name())) {
    errors.Add("variable", from.name(), "", "a name is made of letters, digits and underscores");
  }
  spec.name = from.name();
  spec.description = from.description();
  return spec;
}

class LoadedGraph : public GraphAsset {
 public:
  LoadedGraph(const v1::AnimationGraph& graph, std::shared_ptr<const skel::Rig> rig,
              std::shared_ptr<const clip::ClipLibrary> clips)
      : graph_(graph), events_(graph.events().begin(), graph.events().end()) {
    stock_.graph = &graph_;
    stock_.rig = std::move(rig);
    stock_.clips = std::move(clips);
    for (const auto& alias : graph_.clip_aliases()) stock_.aliases[alias.name()] = alias.clip();
  }

  absl::Status Check(const SourceMap& places) {
    Errors errors(places);
    CheckSizes(errors);
    if (!errors.empty()) return errors.status();
    CheckTables(errors);
    std::vector<VariableSpec> specs;
    for (const auto& v : graph_.variables()) {
      specs.push_back(MakeSpec(v, graph_, *stock_.clips, errors));
    }
    CheckAppearance(specs, errors);
    stock_.variables = std::make_shared<VariableSet>(std::move(specs));
    ReadPropActions(errors);
    stock_.arrangements = ReadArrangements(stock_, errors);
    stock_.timelines = ReadTimelines(stock_, errors);
    Builder(stock_, errors, &stock_.shared).BuildOutput();
    return errors.status();
  }

  const std::string& name() const override { return graph_.name(); }
  const std::shared_ptr<const skel::Rig>& rig() const override { return stock_.rig; }
  const std::shared_ptr<const VariableSet>& variables() const override { return stock_.variables; }
  absl::Span<const std::string> events() const override { return events_; }
  absl::Span<const PropAction> prop_actions() const override { return prop_actions_; }
  const std::shared_ptr<const clip::ClipLibrary>& clips() const override { return stock_.clips; }
  bool passthrough() const override {
    return std::any_of(graph_.nodes().begin(), graph_.nodes().end(), [&](const v1::Node& node) {
      return node.name() == graph_.output() && node.has_provider() && node.provider().plain();
    });
  }

  std::string NoteOn(int variable, absl::string_view text) const override {
    const VariableSpec& spec = stock_.variables->spec(variable);
    const int choice = spec.type == VariableType::kChoice ? spec.FindChoice(text) : -1;
    if (choice < 0) return "";
    const std::string& value = spec.values[static_cast<size_t>(choice)];
    const auto& aliases = graph_.clip_aliases();
    const auto alias = std::find_if(aliases.begin(), aliases.end(),
                                    [&](const auto& a) { return a.name() == value; });
    const bool variant = !absl::EqualsIgnoreCase(value, text);
    const bool nearest = alias != aliases.end() && alias->nearest();
    if (!variant && !nearest) return "";
    return absl::StrCat("there is no clip ", text, "; the nearest one plays: ",
                        alias == aliases.end() ? value : alias->clip());
  }

  std::unique_ptr<GraphInstance> Instantiate(std::shared_ptr<const GraphAsset> self,
                                             uint64_t seed) const override {
    // It was already checked.
    const SourceMap nowhere;
    Errors none(nowhere);
    Builder builder(stock_, none);
    auto top = builder.BuildOutput();
    return std::make_unique<GraphInstance>(std::move(self), std::move(top),
                                           std::move(builder.nodes()), seed);
  }

 private:
  // A larger graph is a mistake, and complete checks would take too long.
  void CheckSizes(Errors& errors) const {
    constexpr int kMost = 1000, kMostKeys = 10000, kMostPropActions = 256;
    const auto check = [&](const std::string& what, int size, int most) {
      if (size <= most) return;
      errors.Add(absl::StrCat(what, ": ", size, " are given; at most ", most, " may be"));
    };
    check("nodes", graph_.nodes_size(), kMost);
    check("variables", graph_.variables_size(), kMost);
    check("arrangements", graph_.arrangements_size(), kMost);
    check("timelines", graph_.timelines_size(), kMost);
    check("prop_actions", graph_.prop_actions_size(), kMostPropActions);
    check("clip_aliases", graph_.clip_aliases_size(), kMostKeys);
    for (const auto& a : graph_.arrangements()) {
      check(absl::StrCat("arrangement ", Quoted(a.name()), ", field items"), a.items_size(), kMost);
    }
    for (const auto& t : graph_.timelines()) {
      const std::string where = absl::StrCat("timeline ", Quoted(t.name()), ", field ");
      check(where + "clips", t.clips_size(), kMostKeys);
      check(where + "arrangements", t.arrangements_size(), kMostKeys);
      check(where + "variables", t.variables_size(), kMostKeys);
      check(where + "events", t.events_size(), kMostKeys);
    }
  }
  // Which props and avatars there are is known only while the graph plays.
  void ReadPropActions(Errors& errors) {
    for (int i = 0; i < graph_.prop_actions_size(); ++i) {
      const auto& from = graph_.prop_actions(i);
      const std::string where = absl::StrCat("prop_actions[", i, "]");
      const auto event = std::find(events_.begin(), events_.end(), from.event());
      if (event == events_.end()) {
        errors.Add(absl::StrCat(where, ".event: the graph has no event ", Quoted(from.event()),
                                KnownNames(from.event(), events_)));
        continue;
      }
      if (from.prop().empty()) errors.Add(absl::StrCat(where, ".prop is missing"));
      if (from.at().empty() && (!from.site().empty() || !from.target_object_id().empty())) {
        errors.Add(absl::StrCat(where, ".at is missing: without it the prop is let go"));
      }
      if (from.target_object_id().empty() && !from.at().empty() && !graph_.any_rig()) {
        const auto site = skel::FindBodySite(*stock_.rig, from.at());
        if (!site.ok()) errors.Add(absl::StrCat(where, ".at: ", site.status().message()));
      }
      prop_actions_.push_back({static_cast<int>(event - events_.begin()), from.prop(), from.at(),
                               from.site(), from.target_object_id(), from.at_once()});
    }
  }
  void CheckTables(Errors& errors) const {
    const auto names = [](const auto& list) {
      std::vector<std::string> out;
      for (const auto& item : list) out.push_back(item.name());
      return out;
    };
    CheckNames("variable", names(graph_.variables()), errors);
    CheckNames("node", names(graph_.nodes()), errors);
    CheckNames("arrangement", names(graph_.arrangements()), errors);
    CheckNames("timeline", names(graph_.timelines()), errors);
    CheckNames("clip_alias", names(graph_.clip_aliases()), errors);
    CheckNames("event", events_, errors);
    if (events_.size() > 64) {
      errors.Add(absl::StrCat("events: ", events_.size(), " are given; at most 64 may be"));
    }
    for (const auto& alias : graph_.clip_aliases()) {
      if (stock_.clips->Find(alias.name()) != nullptr) {
        errors.Add("clip_alias", alias.name(), "", "a clip has this name itself");
      }
      if (stock_.clips->Find(alias.clip()) == nullptr && !MayBeMissing(alias.clip())) {
        std::vector<std::string> names;
        for (const auto& clip : stock_.clips->clips()) names.push_back(clip->name());
        errors.Add("clip_alias", alias.name(), "clip",
                   absl::StrCat("there is no clip ", Quoted(alias.clip()),
                                KnownNames(alias.clip(), names)));
      }
    }
  }

  v1::AnimationGraph graph_;
  std::vector<std::string> events_;
  std::vector<PropAction> prop_actions_;
  Stock stock_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const GraphAsset>> MakeGraphAsset(
    const v1::AnimationGraph& graph, std::shared_ptr<const skel::Rig> rig,
    const std::shared_ptr<const clip::ClipLibrary>& clips, const SourceMap& places) {
  auto asset = std::make_shared<LoadedGraph>(graph, rig, CarryClips(clips, rig));
  if (absl::Status s = asset->Check(places); !s.ok()) return s;
  return asset;
}

absl::StatusOr<std::shared_ptr<const GraphAsset>> MakeBuiltinGraphAsset(
    absl::string_view name, std::shared_ptr<const skel::Rig> rig,
    const std::shared_ptr<const clip::ClipLibrary>& clips) {
  auto text = BuiltinGraphText(name);
  if (!text.ok()) return text.status();
  auto graph = ParseGraph(*text);
  if (!graph.ok()) return graph.status();
  return MakeGraphAsset(*graph, std::move(rig), clips);
}

}  // namespace posewire::graph
