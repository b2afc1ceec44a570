#include "libs/formats/x3d/prototypes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/formats/x3d/fields.h"
#include "libs/formats/x3d/vocabulary.h"

namespace posewire::x3d {
namespace {

constexpr size_t kMostDeclaring = 16, kMostExpanding = 64, kMostFields = 256, kMostTargets = 4096;

absl::Status TooMuch(int line, absl::string_view what) {
  return absl::ResourceExhaustedError(absl::StrCat("line ", line, ": ", what));
}

}  // namespace

absl::Status PrototypeBuilder::BeginDeclaration(std::string name, int line) {
  if (declaring_.size() >= kMostDeclaring) {
    return TooMuch(line, absl::StrCat("over ", kMostDeclaring, " prototypes in each other"));
  }
  declaring_.push_back(&prototypes_.emplace_back());
  declaring_.back()->name = std::move(name);
  return absl::OkStatus();
}

const PrototypeBuilder::Prototype* PrototypeBuilder::Find(absl::string_view type) const {
  for (auto names = names_.rbegin(); names != names_.rend(); ++names) {
    const auto found = names->find(type);
    if (found != names->end()) return found->second;
  }
  return nullptr;
}

void PrototypeBuilder::DeclareValue(Field field) {
  Values& defaults = declaring_.back()->defaults;
  if (defaults.size() >= kMostFields) return;
  Value& value = defaults[field.name];
  value.has_text = true;
  value.text = std::move(field);
}

void PrototypeBuilder::BeginDefault(std::string field) {
  captures_.push_back({.kind = Capture::Kind::kBody});
  captures_.back().field = std::move(field);
}

void PrototypeBuilder::EndDefault() {
  Capture done = std::move(captures_.back());
  captures_.pop_back();
  Values& defaults = declaring_.back()->defaults;
  if (defaults.size() < kMostFields) defaults[done.field].nodes = std::move(done.events);
}

void PrototypeBuilder::BeginBody() {
  declaring_.back()->external = false;
  captures_.push_back({.kind = Capture::Kind::kBody});
  // Its own name is known in its body, to be refused there.
  names_.push_back({{declaring_.back()->name, declaring_.back()}});
}

void PrototypeBuilder::EndBody() {
  declaring_.back()->body = std::move(captures_.back().events);
  captures_.pop_back();
  names_.pop_back();
}

void PrototypeBuilder::EndDeclaration() {
  names_.back()[declaring_.back()->name] = declaring_.back();
  declaring_.pop_back();
}

void PrototypeBuilder::BeginDropped() { captures_.push_back({.kind = Capture::Kind::kDropped}); }

void PrototypeBuilder::EndDropped() { captures_.pop_back(); }

absl::Status PrototypeBuilder::Is(std::string node_field, std::string field, int line) {
  // Outside of a body, there is nothing that it could be.
  if (captures_.empty() || captures_.back().kind == Capture::Kind::kInstance) {
    return absl::OkStatus();
  }
  return Keep({Event::Kind::kIs, line, std::move(node_field), std::move(field)});
}

absl::Status PrototypeBuilder::Keep(Event event) {
  Capture& to = captures_.back();
  if (to.kind == Capture::Kind::kDropped) return absl::OkStatus();
  if (++kept_ > 4 * limits_.nodes) {
    return TooMuch(event.line, absl::StrCat("prototypes and their values have over ",
                                            4 * limits_.nodes, " nodes and fields"));
  }
  if (to.kind == Capture::Kind::kBody) {
    to.events.push_back(std::move(event));
    return absl::OkStatus();
  }
  using Kind = Event::Kind;
  if (to.depth == 0) {
    if (event.kind == Kind::kField) {
      to.field = event.a;
    } else {
      to.field = event.c.empty() ? std::string(DefaultContainer(event.a)) : event.c;
    }
    if (to.values.size() >= kMostFields && !to.values.contains(to.field)) {
      return TooMuch(event.line, "an instance of a prototype has over 256 fields");
    }
  }
  Value& value = to.values[to.field];
  if (to.depth == 0 && event.kind == Kind::kField) {
    value.has_text = true;
    value.text = {std::move(event.a), event.form, std::move(event.b), event.line};
    return absl::OkStatus();
  }
  to.depth += event.kind == Kind::kOpen ? 1 : event.kind == Kind::kClose ? -1 : 0;
  value.nodes.push_back(std::move(event));
  return absl::OkStatus();
}

absl::Status PrototypeBuilder::Open(absl::string_view type, absl::string_view def,
                                    absl::string_view field, int line) {
  Event event{Event::Kind::kOpen, line, std::string(type), std::string(def), std::string(field)};
  event.of = Find(type);
  event.in_itself = std::find(declaring_.begin(), declaring_.end(), event.of) != declaring_.end();
  return OpenEvent(std::move(event));
}

absl::Status PrototypeBuilder::OpenEvent(Event event) {
  if (depth_ >= limits_.depth) {
    return TooMuch(event.line, absl::StrCat("nodes are over ", limits_.depth, " deep"));
  }
  ++depth_;
  if (!captures_.empty()) return Keep(std::move(event));
  const absl::string_view native = HAnimNodeOf(event.a);
  if (event.of == nullptr || !native.empty() || event.of->external) {
    const bool named = event.of != nullptr || vrml97();
    return SceneBuilder::Open(named && !native.empty() ? native : absl::string_view(event.a),
                              event.b, FieldNow(event.c), event.line);
  }
  event.c = std::string(FieldNow(event.c));
  captures_.push_back(
      {.kind = Capture::Kind::kInstance, .open = std::move(event), .aside = TakeAside()});
  return absl::OkStatus();
}

absl::string_view PrototypeBuilder::FieldNow(absl::string_view field) const {
  return field == "humanoidBody" && (vrml97() || !prototypes_.empty()) ? "skeleton" : field;
}

absl::Status PrototypeBuilder::Add(Field field) {
  Event event{Event::Kind::kField, field.line, std::move(field.name), std::move(field.text)};
  event.form = field.kind;
  return AddEvent(std::move(event));
}

absl::Status PrototypeBuilder::AddEvent(Event event) {
  if (!captures_.empty()) return Keep(std::move(event));
  if (!any_open()) return AtLine(event.line, "a value is outside of nodes");
  if (event.replaces) DropField(event.a);
  return SceneBuilder::Add({std::move(event.a), event.form, std::move(event.b), event.line});
}

absl::Status PrototypeBuilder::Close() {
  --depth_;
  if (captures_.empty()) {
    SceneBuilder::Close();
    return absl::OkStatus();
  }
  const bool ends =
      captures_.back().kind == Capture::Kind::kInstance && captures_.back().depth == 0;
  if (!ends) return Keep({Event::Kind::kClose});
  Capture instance = std::move(captures_.back());
  captures_.pop_back();
  return Expand(std::move(instance));
}

absl::Status PrototypeBuilder::Use(absl::string_view type, absl::string_view def,
                                   absl::string_view field, int line) {
  // The node that an instance became has another type.
  if (Find(type) != nullptr) type = "";
  if (!captures_.empty()) {
    return Keep({Event::Kind::kUse, line, std::string(type), std::string(def), std::string(field)});
  }
  return SceneBuilder::Use(type, def, FieldNow(field), line);
}

void PrototypeBuilder::AddRoute(std::string from, std::string from_field, std::string to,
                                std::string to_field, int line) {
  if (!captures_.empty() && captures_.back().kind != Capture::Kind::kInstance) {
    // More than Keep allows are dropped with their prototype's limit.
    Keep({Event::Kind::kRoute, line, std::move(from), std::move(from_field), std::move(to),
          std::move(to_field)})
        .IgnoreError();
    return;
  }
  if (imported_.contains(from) || imported_.contains(to)) return;
  SceneBuilder::AddRoute(std::move(from), std::move(from_field), std::move(to), std::move(to_field),
                         line);
}

absl::Status PrototypeBuilder::Spend(const Event& event) {
  replayed_bytes_ += event.bytes();
  if (++replayed_ <= limits_.walked && replayed_bytes_ <= limits_.bytes) return absl::OkStatus();
  return TooMuch(event.line, absl::StrCat("instances of prototypes have over ", limits_.walked,
                                          " nodes and fields, or ", limits_.bytes, " bytes"));
}

std::string PrototypeBuilder::NameIn(const Scope* scope, const std::string& def) const {
  if (scope == nullptr || def.empty() || imported_.contains(def)) return def;
  if (def == scope->own_def) return scope->def;
  return absl::StrCat("p", scope->number, "_", def);
}

absl::Status PrototypeBuilder::Expand(Capture instance) {
  const Prototype& of = *instance.open.of;
  const int line = instance.open.line;
  // Names mean prototypes declared above, so no other way leads back to the same one.
  if (instance.open.in_itself) {
    return AtLine(line, absl::StrCat("prototype ", of.name.substr(0, 80), " contains itself"));
  }
  if (expanding_ >= kMostExpanding) {
    return TooMuch(line, absl::StrCat("over ", kMostExpanding, " prototypes in each other"));
  }
  Scope scope{&of, &instance.values, ++instances_, "", ""};
  const auto first = std::find_if(of.body.begin(), of.body.end(), [](const Event& event) {
    return event.kind == Event::Kind::kOpen;
  });
  const int node = next_node();
  if (first == of.body.end()) {
    // It has no node; but USE may name it.
    absl::Status s = SceneBuilder::Open("Group", instance.open.b, instance.open.c, line);
    if (s.ok()) SceneBuilder::Close();
    return s;
  }
  scope.own_def = first->b;
  scope.def = instance.open.b;
  if (scope.def.empty() && !first->b.empty()) {
    scope.def = absl::StrCat("p", scope.number, "_", first->b);
  }
  SetAside(instance.aside);
  ++expanding_;
  const absl::Status s = Replay(of.body, &instance.open.c, &scope);
  --expanding_;
  if (!s.ok()) return s;
  for (const Link& link : instance.links) {
    Targets& targets = link.outer->targets[link.outer_field];
    for (const auto& target : scope.targets[link.field]) {
      if (targets.size() < kMostTargets) targets.push_back(target);
    }
  }
  for (auto& [field, targets] : scope.targets) SetTargets(node, field, std::move(targets));
  return absl::OkStatus();
}

PrototypeBuilder::Event PrototypeBuilder::Opened(const Event& event, std::string def,
                                                 std::string field) {
  Event out{Event::Kind::kOpen, event.line, event.a, std::move(def), std::move(field)};
  out.of = event.of;
  out.in_itself = event.in_itself;
  return out;
}

absl::Status PrototypeBuilder::Replay(const Events& events, const std::string* container,
                                      Scope* scope) {
  using Kind = Event::Kind;
  int depth = 0, tops = 0;
  for (const Event& event : events) {
    if (absl::Status s = Spend(event); !s.ok()) return s;
    const bool top = depth == 0 && (event.kind == Kind::kOpen || event.kind == Kind::kUse);
    const bool first = top && ++tops == 1;
    // Of a body, only the first node is where the instance is.
    const bool aside = top && scope != nullptr && !first;
    std::string field = aside ? "" : top && container != nullptr ? *container : event.c;
    absl::Status s = absl::OkStatus();
    if (aside) SetAside(true);
    switch (event.kind) {
      case Kind::kOpen:
        ++depth;
        s = OpenEvent(Opened(event, first && scope != nullptr ? scope->def : NameIn(scope, event.b),
                             std::move(field)));
        break;
      case Kind::kUse:
        s = Use(event.a, NameIn(scope, event.b), field, event.line);
        break;
      case Kind::kField:
        s = AddEvent(event);
        break;
      case Kind::kClose:
        --depth;
        s = Close();
        break;
      case Kind::kRoute:
        AddRoute(NameIn(scope, event.a), event.b, NameIn(scope, event.c), event.d, event.line);
        break;
      case Kind::kIs:
        if (scope != nullptr) s = ReplayIs(event, *scope);
        break;
    }
    if (aside) SetAside(false);
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status PrototypeBuilder::ReplayIs(const Event& event, Scope& scope) {
  const std::string &node_field = event.a, &field = event.b;
  if (captures_.empty() && !any_open()) return absl::OkStatus();
  if (captures_.empty()) {
    Targets& targets = scope.targets[std::string(BareField(field))];
    if (targets.size() < kMostTargets) targets.emplace_back(open_node(), node_field);
  } else if (Capture& to = captures_.back(); to.kind == Capture::Kind::kInstance && to.depth == 0) {
    to.links.push_back({&scope, std::string(BareField(field)), std::string(BareField(node_field))});
  }
  const auto given = scope.values->find(field);
  const auto otherwise = scope.of->defaults.find(field);
  const Value* const value = given != scope.values->end()            ? &given->second
                             : otherwise != scope.of->defaults.end() ? &otherwise->second
                                                                     : nullptr;
  if (value == nullptr) return absl::OkStatus();
  if (value->has_text) {
    Event as{Event::Kind::kField, event.line, node_field, value->text.text};
    as.form = value->text.kind;
    as.replaces = true;
    if (absl::Status s = Spend(as); !s.ok()) return s;
    if (absl::Status s = AddEvent(std::move(as)); !s.ok()) return s;
  }
  return Replay(value->nodes, &node_field, nullptr);
}

}  // namespace posewire::x3d
