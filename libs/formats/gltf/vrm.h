// What a VRM file (0.x or 1.0) says of its person: bones and expressions.
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

// None for a file that is no VRM.
std::optional<character::BoneNodes> VrmBones(Document& document);

// One for both eyes is left out where there is one for each.
std::vector<character::ExpressionOfFile> VrmExpressions(Document& document);

// The springs of VRMC_springBone, which any glTF file may have. `nodes` and `order` of `out` are
// known. What is wrong is noted in document.status(), over 1024 joints or colliders too.
void ReadSprings(Document& document, character::Character& out);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_VRM_H_
