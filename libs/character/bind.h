// How a file's nodes and targets follow a rig of ours.
#ifndef POSEWIRE_LIBS_CHARACTER_BIND_H_
#define POSEWIRE_LIBS_CHARACTER_BIND_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "libs/character/bone_names.h"
#include "libs/character/character.h"
#include "libs/skel/rig.h"

namespace posewire::character {

// A rig of the file's own skeleton, and the nodes that are its joints from `first` on. Null: it has
// none.
struct OwnRig {
  // What takes the way of a joint, as poses have it, into the space of its node's parent.
  struct Way {
    skel::Quat turn;
    float scale = 1;
  };

  std::shared_ptr<const skel::Rig> rig;
  std::vector<int> nodes;
  bool faces_z = false;  // its format says where its front is: a body that is askew is not turned
  int first = 0;
  std::vector<Way> ways = {};  // of each node; empty: poses have the node's own
};

// Which mesh of the file a mesh of the character is made of: expressions are bound by it.
struct MeshOrigin {
  int node = -1, mesh = -1;
};

// A target of a mesh, of the file's `mesh` or of all meshes of its `node`, and how much of it.
struct TargetOfFile {
  int node = -1, mesh = -1, index = 0;
  float gain = 1;
};
// A face that the file names, as VRM does.
struct ExpressionOfFile {
  std::string name, preset;
  std::vector<TargetOfFile> binds;
};

// What a file says of its person besides its nodes and meshes.
struct PersonOfFile {
  // Used if the file is not a person.
  OwnRig own = {};
  // If set, makes that rig when the file turns out not to be a person. It adds the file's joints
  // and shapes to those of `standard`, and a note says which joints move the character.
  std::function<OwnRig(const skel::Rig& standard, Character& scene)> make_own = nullptr;
  std::optional<BoneNodes> bones = {};  // nothing: by the names of its nodes
  std::vector<ExpressionOfFile> expressions = {};
  std::vector<MeshOrigin> origins = {};  // of each mesh, for the expressions
};

// Fills in rig, links, drives, root, length_scale and what is missing of a character that has its
// scene. A file with the joints of one of the catalog's rigs at their rest is moved by that rig,
// after its arms are brought to where that rig's are, if they stand elsewhere; a humanoid of other
// bones by the rig "vrm"; what is neither by its own rig; and what has none stands still, and its
// shapes move.
absl::Status Bind(const PersonOfFile& person, const skel::RigCatalog& rigs, Character& out);

// The names of the shapes of all meshes, each once, ignoring case; up to skel::kMostShapes.
std::vector<std::string> ShapesOf(const Character& scene);

// Where cameras find it: of a character that is bound and has its shapes.
absl::Status Frame(Character& out);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_BIND_H_
