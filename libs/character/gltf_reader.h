// The things of a glTF file as things of a character, before any rig is bound to them.
#ifndef POSEWIRE_LIBS_CHARACTER_GLTF_READER_H_
#define POSEWIRE_LIBS_CHARACTER_GLTF_READER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"
#include "libs/formats/gltf/document.h"

namespace posewire::character {

// That a target is another shape's offsets at weight `at`.
struct Inbetween {
  std::string target, shape;
  float at = 0.5f;
};

// Which mesh of the file a mesh of the character is made of: VRM binds shapes by it.
struct MeshOrigin {
  int node = -1, mesh = -1;
};

// Fills in nodes, order, skins, textures, materials and meshes. What a file says that cannot be, is
// INVALID_ARGUMENT with its path.
absl::Status ReadScene(gltf::Document& document, const Limits& limits,
                       const std::vector<Inbetween>& inbetweens, Character& out,
                       std::vector<MeshOrigin>& origins);

// The looks, before ReadScene's meshes: materials and the pictures that they show. `uv_of` gets how
// each material lays its picture, for KHR_texture_transform.
absl::Status ReadMaterials(gltf::Document& document, const Limits& limits, Character& out,
                           std::vector<skel::Affine>& uv_of);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_GLTF_READER_H_
