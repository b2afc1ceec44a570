#include "libs/formats/x3d/scene_builder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "libs/formats/x3d/fields.h"
#include "libs/formats/x3d/quoted.h"
#include "libs/formats/x3d/vocabulary.h"

namespace posewire::x3d {

absl::Status AtLine(int line, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", what));
}

namespace {

constexpr size_t kMostNotes = 16;

// Returns true for a name of a node, field or DEF that both forms can write.
bool IsName(absl::string_view name) {
  if (name.empty() || !(absl::ascii_isalpha(static_cast<unsigned char>(name[0])) || name[0] == '_'))
    return false;
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && !absl::StrContains("_-.:", c)) {
      return false;
    }
  }
  for (const absl::string_view word : {"DEF",
                                       "USE",
                                       "NULL",
                                       "ROUTE",
                                       "TO",
                                       "TRUE",
                                       "FALSE",
                                       "PROFILE",
                                       "COMPONENT",
                                       "META",
                                       "UNIT",
                                       "PROTO",
                                       "EXTERNPROTO",
                                       "IMPORT",
                                       "EXPORT",
                                       "IS",
                                       "inputOnly",
                                       "outputOnly",
                                       "inputOutput",
                                       "initializeOnly",
                                       "eventIn",
                                       "eventOut",
                                       "exposedField",
                                       "field",
                                       "fieldValue",
                                       "ProtoDeclare",
                                       "ExternProtoDeclare",
                                       "ProtoInstance",
                                       "containerField"}) {
    if (name == word) return false;
  }
  return true;
}

absl::Status NoName(int line, absl::string_view name) {
  return AtLine(
      line, absl::StrCat("\"", absl::CHexEscape(name.substr(0, 40)),
                         "\" is no name: write letters, digits, _ and -, first a letter, and no "
                         "word of X3D itself"));
}

// Returns true for a finite number, or a colour of a picture's pixel.
bool IsNumber(absl::string_view word) {
  double value;
  if (absl::SimpleAtod(word, &value)) return std::isfinite(value);
  uint64_t pixel;
  return absl::StartsWith(word, "0x") && absl::SimpleHexAtoi(word, &pixel);
}

absl::Status NormalizeNumbers(absl::string_view type, Field& field) {
  std::string out;
  size_t i = 0;
  bool booleans = false;
  for (const absl::string_view word :
       absl::StrSplit(field.text, absl::ByAnyChar(", \t\r\n"), absl::SkipEmpty())) {
    const bool boolean =
        absl::EqualsIgnoreCase(word, "true") || absl::EqualsIgnoreCase(word, "false");
    booleans = booleans || boolean;
    if (booleans && i > 0 && field.kind == Field::Kind::kOne) {
      return AtLine(field.line, absl::StrCat(type, ".", field.name,
                                             " is one value, true or false stands alone there"));
    }
    if (!boolean && !IsNumber(word)) {
      return AtLine(field.line,
                    absl::StrCat(type, ".", field.name, "[", i, "] is \"",
                                 absl::CHexEscape(word.substr(0, 40)), "\", no finite number"));
    }
    absl::StrAppend(&out, i ? " " : "", boolean ? absl::AsciiStrToLower(word) : std::string(word));
    ++i;
  }
  field.text = std::move(out);
  return absl::OkStatus();
}

absl::Status Normalize(absl::string_view type, Field& field) {
  using Kind = Field::Kind;
  const Kind given = field.kind;
  field.kind = KnownKind(field.name).value_or(given);
  if (field.kind == Kind::kString) {
    if (given != Kind::kStrings) return absl::OkStatus();
    std::vector<std::string> all = Unquoted(field.text);
    if (all.size() != 1) {
      return AtLine(field.line,
                    absl::StrCat(type, ".", field.name, " is one string, not ", all.size()));
    }
    field.text = std::move(all[0]);
    return absl::OkStatus();
  }
  if (field.kind != Kind::kStrings) return NormalizeNumbers(type, field);
  std::vector<std::string> all =
      given == Kind::kString ? std::vector<std::string>{field.text} : Unquoted(field.text);
  field.text.clear();
  for (const std::string& s : all) {
    absl::StrAppend(&field.text, field.text.empty() ? "" : " ", Quoted(s));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SceneBuilder::SetProfile(std::string profile, int line) {
  if (!IsName(profile)) return NoName(line, profile);
  scene_.profile = std::move(profile);
  return absl::OkStatus();
}

absl::Status SceneBuilder::SetVersion(std::string version, int line) {
  for (const char c : version) {
    if (c != '.' && !absl::ascii_isdigit(static_cast<unsigned char>(c))) version.clear();
  }
  if (version.empty()) return AtLine(line, "the version of X3D is no number: write 4.0");
  scene_.version = std::move(version);
  return absl::OkStatus();
}

absl::Status SceneBuilder::AddComponent(Scene::Component component, int line) {
  // The classic form writes NAME:LEVEL.
  if (!IsName(component.name) || absl::StrContains(component.name, ':')) {
    return NoName(line, component.name);
  }
  int level;
  if (!absl::SimpleAtoi(component.level, &level) || level < 1) {
    return AtLine(
        line, absl::StrCat("the level of component ", component.name, " is \"",
                           absl::CHexEscape(component.level.substr(0, 40)), "\": write 1 or more"));
  }
  component.level = absl::StrCat(level);
  scene_.components.push_back(std::move(component));
  return absl::OkStatus();
}

absl::Status SceneBuilder::AddUnit(Scene::Unit unit, int line) {
  for (const std::string& name : {unit.category, unit.name}) {
    if (!IsName(name)) return NoName(line, name);
  }
  double factor;
  if (!absl::SimpleAtod(unit.factor, &factor) || !std::isfinite(factor) || factor <= 0) {
    return AtLine(line, absl::StrCat("the factor of unit ", unit.name, " is \"",
                                     absl::CHexEscape(unit.factor.substr(0, 40)),
                                     "\": write a number above 0"));
  }
  unit.factor = std::string(absl::StripAsciiWhitespace(unit.factor));
  scene_.units.push_back(std::move(unit));
  return absl::OkStatus();
}

void SceneBuilder::Attach(absl::string_view field, int node, int line, bool use) {
  const std::string& type = scene_.nodes[static_cast<size_t>(node)].type;
  if (field.empty()) field = DefaultContainer(type);
  if (TakeAside() || open_.empty()) {
    scene_.roots.push_back({std::string(field), node});
    return;
  }
  X3dNode& parent = scene_.nodes[static_cast<size_t>(open_.back())];
  const absl::string_view meant = MeantContainer(parent.type, type, use, field);
  if (!meant.empty()) {
    const std::string what =
        absl::StrCat(parent.type, " has no field ", field.substr(0, 40), ": its ", type,
                     " is read as ", meant, " (containerField=\"", meant, "\")");
    field = meant;
    if (assumed_.insert(what).second && assumed_.size() <= kMostNotes) {
      scene_.notes.push_back(absl::StrCat("line ", line, ": ", what));
    }
  }
  parent.children.push_back({std::string(field), node});
}

absl::Status SceneBuilder::Open(absl::string_view type, absl::string_view def,
                                absl::string_view field, int line) {
  if (open_.size() >= static_cast<size_t>(limits_.depth)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("line ", line, ": nodes are over ", limits_.depth, " deep"));
  }
  if (scene_.nodes.size() >= limits_.nodes || walked_ >= limits_.walked) {
    return absl::ResourceExhaustedError(
        absl::StrCat("line ", line, ": there are over ", limits_.nodes, " nodes"));
  }
  if (!IsName(type)) return NoName(line, type);
  for (const absl::string_view name : {def, field}) {
    if (!name.empty() && !IsName(name)) return NoName(line, name);
  }
  const int index = static_cast<int>(scene_.nodes.size());
  X3dNode& node = scene_.nodes.emplace_back();
  node.type = std::string(type);
  node.def = std::string(def);
  node.line = line;
  measures_.emplace_back();
  ++walked_;
  Attach(field, index, line, false);
  if (!def.empty()) {
    const auto [it, fresh] = defs_.try_emplace(def, index);
    if (!fresh) scene_.nodes[static_cast<size_t>(it->second)].def.clear();
    it->second = index;
  }
  open_.push_back(index);
  return absl::OkStatus();
}

absl::Status SceneBuilder::Add(Field field) {
  X3dNode& node = scene_.nodes[static_cast<size_t>(open_.back())];
  // A draft of the standard called it so.
  if (node.type == "HAnimJoint" && field.name == "vertexWeight") field.name = "skinCoordWeight";
  if (node.fields.size() >= 256 || node.Find(field.name)) {
    return AtLine(field.line, absl::StrCat(node.type, ".", field.name.substr(0, 40),
                                           " has a value already, or is one of over 256 fields"));
  }
  if (!IsName(field.name)) return NoName(field.line, field.name);
  if (absl::Status s = Normalize(node.type, field); !s.ok()) return s;
  if (field.kind == Field::Kind::kOne && field.text.empty()) return absl::OkStatus();
  node.fields.push_back(std::move(field));
  return absl::OkStatus();
}

void SceneBuilder::DropField(absl::string_view field) {
  std::erase_if(scene_.nodes[static_cast<size_t>(open_.back())].fields,
                [&](const Field& each) { return each.name == field; });
}

void SceneBuilder::Close() {
  const Measure done = measures_[static_cast<size_t>(open_.back())];
  open_.pop_back();
  if (open_.empty()) return;
  Measure& above = measures_[static_cast<size_t>(open_.back())];
  above.walked += done.walked;
  above.height = std::max(above.height, done.height + 1);
}

absl::Status SceneBuilder::Use(absl::string_view type, absl::string_view def,
                               absl::string_view field, int line) {
  if (!field.empty() && !IsName(field)) return NoName(line, field);
  const auto it = defs_.find(def);
  if (it == defs_.end()) {
    return AtLine(line, absl::StrCat("USE \"", def.substr(0, 80), "\" names no node above"));
  }
  const int index = it->second;
  const X3dNode& node = scene_.nodes[static_cast<size_t>(index)];
  if (!type.empty() && type != node.type) {
    return AtLine(line, absl::StrCat("USE \"", def, "\" is a ", node.type, ", not a ", type));
  }
  if (std::find(open_.begin(), open_.end(), index) != open_.end()) {
    return AtLine(line, absl::StrCat("USE \"", def, "\" would put the node into itself"));
  }
  const Measure& used = measures_[static_cast<size_t>(index)];
  if (static_cast<int>(open_.size()) + used.height > limits_.depth ||
      walked_ + used.walked > limits_.walked) {
    return absl::ResourceExhaustedError(absl::StrCat("line ", line, ": with USE \"", def,
                                                     "\" nodes are over ", limits_.depth,
                                                     " deep or are over ", limits_.walked));
  }
  walked_ += used.walked;
  Attach(field, index, line, true);
  if (!open_.empty()) {
    Measure& above = measures_[static_cast<size_t>(open_.back())];
    above.walked += used.walked;
    above.height = std::max(above.height, used.height + 1);
  }
  return absl::OkStatus();
}

void SceneBuilder::AddRoute(std::string from, std::string from_field, std::string to,
                            std::string to_field, int line) {
  routes_.push_back(
      {std::move(from), std::move(to), {-1, std::move(from_field), -1, std::move(to_field), line}});
}

absl::StatusOr<Scene> SceneBuilder::Finish() {
  for (NamedRoute& named : routes_) {
    for (const auto& [name, node] :
         {std::pair(&named.from, &named.route.from), std::pair(&named.to, &named.route.to)}) {
      const auto it = defs_.find(*name);
      if (it == defs_.end()) {
        return AtLine(named.route.line, absl::StrCat("ROUTE names \"", name->substr(0, 80),
                                                     "\", which no DEF gives"));
      }
      *node = it->second;
    }
    if (absl::Status s = Lead(named.route); !s.ok()) return s;
  }
  return std::move(scene_);
}

absl::Status SceneBuilder::Lead(const Route& route) {
  using Target = std::pair<int, std::string>;
  const Target own_from{route.from, route.from_field}, own_to{route.to, route.to_field};
  const auto targets = [&](const Target& own) -> absl::Span<const Target> {
    const auto of = targets_.find(own.first);
    if (of != targets_.end()) {
      const auto found = of->second.find(BareField(own.second));
      if (found != of->second.end() && !found->second.empty()) return found->second;
    }
    return {&own, 1};
  };
  const Target from = targets(own_from)[0];
  for (const Target& to : targets(own_to)) {
    if (scene_.routes.size() >= limits_.walked) {
      return absl::ResourceExhaustedError(
          absl::StrCat("line ", route.line, ": there are over ", limits_.walked, " ROUTEs"));
    }
    for (const std::string& field : {from.second, to.second}) {
      // The classic form writes NODE.field, where NODE may have points.
      if (!IsName(field) || absl::StrContains(field, '.')) return NoName(route.line, field);
    }
    NameNode(from.first), NameNode(to.first);
    scene_.routes.push_back({from.first, from.second, to.first, to.second, route.line});
  }
  return absl::OkStatus();
}

void SceneBuilder::NameNode(int node) {
  std::string& def = scene_.nodes[static_cast<size_t>(node)].def;
  if (!def.empty()) return;
  std::string name = absl::StrCat("node_", node);
  while (!defs_.try_emplace(name, node).second) name += '_';
  def = std::move(name);
}

}  // namespace posewire::x3d
