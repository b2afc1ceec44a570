// Reads the bones and expressions of a VRM file (0.x or 1.0).
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_VRM_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_VRM_H_

#include <optional>
#include <string>
#include <vector>

#include "libs/character/bind.h"
#include "libs/character/bone_names.h"
#include "libs/character/character.h"
#include "libs/formats/gltf/document.h"

namespace posewire::gltf {

// Returns nothing for a file that is not VRM.
std::optional<character::BoneNodes> VrmBones(Document& document);

// Omits an expression for both eyes if there is one for each.
std::vector<character::ExpressionOfFile> VrmExpressions(Document& document);

// Reads the springs of VRMC_springBone, which any glTF file may have. `nodes` and `order` of `out`
// must be set. Faults, including over 1024 joints or colliders, are in document.status().
void ReadSprings(Document& document, character::Character& out);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_VRM_H_
