// The things of a glTF file as things of a character, before any rig is bound to them.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_SCENE_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_SCENE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "libs/character/bind.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"
#include "libs/formats/gltf/document.h"

namespace posewire::gltf {

// That a target is another shape's offsets at weight `at`.
struct Inbetween {
  std::string target, shape;
  float at = 0.5f;
};

// Fills in nodes, order, skins, textures, materials and meshes. What a file says that cannot be, is
// INVALID_ARGUMENT with its path.
absl::Status ReadScene(Document& document, const character::Limits& limits,
                       const std::vector<Inbetween>& inbetweens, character::Character& out,
                       std::vector<character::MeshOrigin>& origins);

// The looks, before ReadScene's meshes: materials and the pictures that they show. `uv_of` gets how
// each material lays its picture, for KHR_texture_transform.
absl::Status ReadMaterials(Document& document, const character::Limits& limits,
                           character::Character& out, std::vector<skel::Affine>& uv_of);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_SCENE_H_
