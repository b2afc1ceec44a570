// Writes a character from a USD stage or an X3D file as binary glTF, for programs that only read
// glTF, such as browsers.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_WRITER_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_WRITER_H_

#include <string>

#include "absl/status/statusor.h"
#include "libs/character/character.h"

namespace posewire::gltf {

// Writes nodes, skins, meshes with their shapes as morph targets, and materials with pictures as
// PNG, in metres with Y up, facing +Z. A shape that is driven by one shape of the rig has that
// shape's name.
//
// Keeps each point's four greatest influences, scaled to a sum of 1, as programs support; skinning
// is linear; in-betweens, correctives, variants and sites are dropped. INTERNAL for a picture that
// cannot be encoded; RESOURCE_EXHAUSTED for one of over 1 GiB.
absl::StatusOr<std::string> WriteCharacter(const character::Character& character);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_WRITER_H_
