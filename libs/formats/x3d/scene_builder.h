// Builds a Scene from a reader's events, in the order of the file, and checks what both forms have
// in common: names of DEF, USE and ROUTE, depth and counts.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_SCENE_BUILDER_H_
#define POSEWIRE_LIBS_FORMATS_X3D_SCENE_BUILDER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/x3d/read_scene.h"
#include "libs/formats/x3d/scene.h"

namespace posewire::x3d {

// Returns INVALID_ARGUMENT that begins with the line.
absl::Status AtLine(int line, absl::string_view what);

class SceneBuilder {
 public:
  explicit SceneBuilder(const Limits& limits) : limits_(limits) {}

  // H-Anim's nodes have the names of prototypes there, and X3D's version is 3.0.
  void SetVrml97() { scene_.vrml97 = true, scene_.version = "3.0"; }
  bool vrml97() const { return scene_.vrml97; }
  // The head of the file. INVALID_ARGUMENT for invalid names and numbers.
  absl::Status SetProfile(std::string profile, int line);
  absl::Status SetVersion(std::string version, int line);
  absl::Status AddComponent(Scene::Component component, int line);
  absl::Status AddUnit(Scene::Unit unit, int line);
  void AddMeta(Scene::Meta meta) { scene_.metas.push_back(std::move(meta)); }
  // Begins a node in the open one: `field` "" is the default for its type.
  absl::Status Open(absl::string_view type, absl::string_view def, absl::string_view field,
                    int line);
  // Adds a field in the form that the vocabulary defines. INVALID_ARGUMENT for a second value of
  // the same field, and for an invalid one. A node must be open.
  absl::Status Add(Field field);
  void Close();
  // `type` "": that of the name.
  absl::Status Use(absl::string_view type, absl::string_view def, absl::string_view field,
                   int line);
  void AddRoute(std::string from, std::string from_field, std::string to, std::string to_field,
                int line);
  // Resolves the nodes of routes. The scene's notes list assumed fields (MeantContainer).
  absl::StatusOr<Scene> Finish();

 protected:
  int next_node() const { return static_cast<int>(scene_.nodes.size()); }
  bool any_open() const { return !open_.empty(); }
  int open_node() const { return open_.back(); }
  // Removes the open node's value of a field, if it has one.
  void DropField(absl::string_view field);
  // While set, the next node becomes one of the scene's roots, wherever it is.
  void SetAside(bool aside) { aside_ = aside; }
  bool TakeAside() { return std::exchange(aside_, false); }
  // ROUTEs to this field of a node lead to those of these nodes.
  void SetTargets(int node, const std::string& field,
                  std::vector<std::pair<int, std::string>> targets) {
    targets_[node].insert_or_assign(field, std::move(targets));
  }

 private:
  struct Measure {
    size_t walked = 1;  // including all below
    int height = 1;
  };
  struct NamedRoute {
    std::string from, to;
    Route route;
  };

  void Attach(absl::string_view field, int node, int line, bool use);
  // Adds a route to the scene, to and from the nodes that a prototype's fields lead to.
  absl::Status Lead(const Route& route);
  // A node of a ROUTE needs a DEF.
  void NameNode(int node);

  const Limits limits_;
  Scene scene_;
  std::vector<Measure> measures_;  // of each node
  std::vector<int> open_;
  size_t walked_ = 0;
  bool aside_ = false;
  absl::flat_hash_map<std::string, int> defs_;
  std::vector<NamedRoute> routes_;
  absl::flat_hash_map<int,
                      absl::flat_hash_map<std::string, std::vector<std::pair<int, std::string>>>>
      targets_;
  absl::flat_hash_set<std::string> assumed_;  // containers already noted
};

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_SCENE_BUILDER_H_
