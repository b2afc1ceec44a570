// Builds a Scene from a reader's events, as SceneBuilder does, and expands prototypes (PROTO,
// EXTERNPROTO; ISO/IEC 19775-1, 4.4.4).
//
// H-Anim 1.0, 1.1 and 2001 are prototypes of VRML97: Humanoid, Joint, Segment, Site and Displacer.
// Instances of a declared prototype of such a name become the nodes of X3D, whatever its body is.
// An instance of any other prototype is replaced by the nodes of its body, with the instance's
// values where the body says IS. The first node takes its place and its DEF; the others, such as
// interpolators, are added to the scene. DEFs of a body get a prefix: "p3_Door" in the third
// instance. ROUTEs to fields of the instance lead to the fields of its nodes.
//
// A type names the prototype that is declared above it in the same body, or else around that body.
// So a prototype declared in a body is unknown outside of it.
//
// Declarations that no instance uses cost their text. What instances repeat is limited by
// Limits::nodes, walked and bytes.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_PROTOTYPES_H_
#define POSEWIRE_LIBS_FORMATS_X3D_PROTOTYPES_H_

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/x3d/scene_builder.h"

namespace posewire::x3d {

class PrototypeBuilder : public SceneBuilder {
 public:
  explicit PrototypeBuilder(const Limits& limits) : SceneBuilder(limits), limits_(limits) {}

  // A declaration: its interface (values, and nodes between BeginDefault and EndDefault), then its
  // body between BeginBody and EndBody. One without a body is external. INVALID_ARGUMENT for over
  // 16 declarations in each other.
  absl::Status BeginDeclaration(std::string name, int line);
  void DeclareValue(Field field);
  void BeginDefault(std::string field);
  void EndDefault();
  void BeginBody();
  void EndBody();
  void EndDeclaration();
  // In a body: the field of the open node has the value of the prototype's field.
  absl::Status Is(std::string node_field, std::string field, int line);
  // Everything in between is dropped: declared fields of scripts.
  void BeginDropped();
  void EndDropped();
  // The name of a node of another file. ROUTEs from and to it are dropped.
  void Import(std::string name) { imported_.insert(std::move(name)); }

  // As SceneBuilder's.
  absl::Status Open(absl::string_view type, absl::string_view def, absl::string_view field,
                    int line);
  absl::Status Add(Field field);
  absl::Status Close();
  absl::Status Use(absl::string_view type, absl::string_view def, absl::string_view field,
                   int line);
  void AddRoute(std::string from, std::string from_field, std::string to, std::string to_field,
                int line);

 private:
  struct Prototype;
  struct Event {
    enum class Kind { kOpen, kField, kClose, kUse, kRoute, kIs };
    Kind kind;
    int line = 0;
    // kOpen and kUse: type, DEF, container. kField: name, text. kRoute: as AddRoute. kIs: as Is.
    std::string a = {}, b = {}, c = {}, d = {};
    Field::Kind form = Field::Kind::kOne;  // kField
    bool replaces = false;                 // kField: another value of it, because IS wins
    const Prototype* of = nullptr;         // kOpen: that the type names
    bool in_itself = false;                // kOpen: in the body of that prototype

    size_t bytes() const { return a.size() + b.size() + c.size() + d.size() + 16; }
  };
  using Events = std::vector<Event>;
  // A value of a prototype's field.
  struct Value {
    bool has_text = false;
    Field text;
    Events nodes;
  };
  using Values = absl::flat_hash_map<std::string, Value>;
  using Targets = std::vector<std::pair<int, std::string>>;  // nodes and their fields
  struct Prototype {
    std::string name;
    bool external = true;
    Values defaults;
    Events body;
  };
  // An instance that is expanded.
  struct Scope {
    const Prototype* of;
    const Values* values;
    size_t number;                                           // of the instance
    std::string own_def, def;                                // of its first node, and the instance
    absl::flat_hash_map<std::string, Targets> targets = {};  // by field of the prototype
  };
  // A field of an instance within a body that is expanded, and the field of the body's prototype
  // whose value it has.
  struct Link {
    Scope* outer;
    std::string outer_field, field;
  };
  // Where events go while they are not built.
  struct Capture {
    enum class Kind { kBody, kInstance, kDropped };
    Kind kind;
    Event open = {Event::Kind::kOpen};  // of an instance
    bool aside = false;
    int depth = 0;
    std::string field = {};  // that the open child of an instance is for
    Events events = {};
    Values values = {};
    std::vector<Link> links = {};
  };

  const Prototype* Find(absl::string_view type) const;
  absl::Status OpenEvent(Event event);
  static Event Opened(const Event& event, std::string def, std::string field);
  // H-Anim 1.1 called the skeleton humanoidBody.
  absl::string_view FieldNow(absl::string_view field) const;
  absl::Status AddEvent(Event event);
  absl::Status Keep(Event event);
  absl::Status Expand(Capture instance);
  // Replays events; those at the top go to `container` unless it is null. With a scope, they are
  // its body: names get their prefix, and IS its values.
  absl::Status Replay(const Events& events, const std::string* container, Scope* scope);
  absl::Status ReplayIs(const Event& event, Scope& scope);
  absl::Status Spend(const Event& event);
  std::string NameIn(const Scope* scope, const std::string& def) const;

  const Limits limits_;
  std::deque<Prototype> prototypes_;
  // What names mean in the file, and in each body that is read.
  std::vector<absl::flat_hash_map<std::string, const Prototype*>> names_{1};
  std::vector<Prototype*> declaring_;
  std::vector<Capture> captures_;
  size_t expanding_ = 0;
  absl::flat_hash_set<std::string> imported_;
  int depth_ = 0;
  size_t kept_ = 0, replayed_ = 0, replayed_bytes_ = 0, instances_ = 0;
};

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_PROTOTYPES_H_
