// Converts the parts of a glTF file to those of a character, before any rig is bound to them.
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

// Declares a target as another shape's offsets at weight `at`.
struct Inbetween {
  std::string target, shape;
  float at = 0.5f;
};

// Fills in nodes, order, skins, textures, materials and meshes. INVALID_ARGUMENT, with the path,
// for invalid values.
absl::Status ReadScene(Document& document, const character::Limits& limits,
                       const std::vector<Inbetween>& inbetweens, character::Character& out,
                       std::vector<character::MeshOrigin>& origins);

// Reads materials and their pictures; call before ReadScene. `uv_of` gets each material's picture
// transform, from KHR_texture_transform.
absl::Status ReadMaterials(Document& document, const character::Limits& limits,
                           character::Character& out, std::vector<skel::Affine>& uv_of);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_SCENE_H_
