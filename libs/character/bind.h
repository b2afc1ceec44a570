// Binds a file's nodes and shapes to one of our rigs.
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

// A rig made from the file's own skeleton, and the nodes that are its joints from `first` on. Null:
// it has none.
struct OwnRig {
  // Converts a joint's translation, as in poses, to the space of its node's parent.
  struct Way {
    skel::Quat turn;
    float scale = 1;
  };

  std::shared_ptr<const skel::Rig> rig;
  std::vector<int> nodes;
  bool faces_z = false;  // its format defines its front, so an inclined body is not rotated
  int first = 0;
  std::vector<Way> ways = {};  // for each node; empty: poses have the node's own translation
};

// The mesh of the file that a mesh of the character was made from; used to bind expressions.
struct MeshOrigin {
  int node = -1, mesh = -1;
};

// A target of a mesh, of the file's `mesh` or of all meshes of its `node`, and its factor.
struct TargetOfFile {
  int node = -1, mesh = -1, index = 0;
  float gain = 1;
};
// A facial expression defined by the file, as in VRM.
struct ExpressionOfFile {
  std::string name, preset;
  std::vector<TargetOfFile> binds;
};

// A file's data about its person, in addition to its nodes and meshes.
struct PersonOfFile {
  // Used if the file is not a person.
  OwnRig own = {};
  // If set, makes that rig when the file turns out not to be a person. It adds the file's joints
  // and shapes to those of `standard`, and a note states which joints move the character.
  std::function<OwnRig(const skel::Rig& standard, Character& scene)> make_own = nullptr;
  std::optional<BoneNodes> bones = {};  // nothing: found by the names of its nodes
  std::vector<ExpressionOfFile> expressions = {};
  std::vector<MeshOrigin> origins = {};  // for each mesh, for the expressions
};

// Fills in rig, links, drives, root, length_scale and missing parts of a character that has its
// scene. A file with the joints of a catalog rig in its rest pose is moved by that rig, after its
// arms are brought to that rig's stance if necessary. A humanoid with other bones is moved by the
// rig "vrm". Any other file is moved by its own rig. Without one, it does not move, except its
// shapes.
absl::Status Bind(const PersonOfFile& person, const skel::RigCatalog& rigs, Character& out);

// Returns the names of the shapes of all meshes, each once, ignoring case; up to skel::kMostShapes.
std::vector<std::string> ShapesOf(const Character& scene);

// Sets the framing for cameras. The character must be bound and have its shapes.
absl::Status Frame(Character& out);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_BIND_H_
