// What a VRM file (0.x or 1.0) says of its person: bones and expressions.
#ifndef POSEWIRE_LIBS_CHARACTER_VRM_H_
#define POSEWIRE_LIBS_CHARACTER_VRM_H_

#include <optional>
#include <string>
#include <vector>

#include "libs/character/bone_names.h"
#include "libs/formats/gltf/document.h"

namespace posewire::character {

// None for a file that is no VRM.
std::optional<BoneNodes> VrmBones(gltf::Document& document);

// A target of a mesh, of the file's `mesh` or of all meshes of its `node`, and how much of it.
struct VrmBind {
  int node = -1, mesh = -1, index = 0;
  float gain = 1;
};
struct VrmExpression {
  std::string name, preset;
  std::vector<VrmBind> binds;
};
// One for both eyes is left out where there is one for each.
std::vector<VrmExpression> VrmExpressions(gltf::Document& document);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_VRM_H_
