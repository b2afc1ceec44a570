// A character as a binary glTF: what came from a stage or an X3D file, for programs that read glTF
// alone, such as browsers.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_WRITER_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_WRITER_H_

#include <string>

#include "absl/status/statusor.h"
#include "libs/character/character.h"

namespace posewire::gltf {

// Nodes, skins, meshes with their shapes as morph targets, and materials with pictures as PNG, in
// metres with Y up, facing +Z. A shape that one shape of the rig drives has that shape's name.
//
// Of a point the four greatest influences count, scaled to a sum of 1, which is what programs take;
// skinning is linear; in-betweens, correctives, variants and sites are left out. INTERNAL for a
// picture that cannot be encoded; RESOURCE_EXHAUSTED for one of over 1 GiB.
absl::StatusOr<std::string> WriteCharacter(const character::Character& character);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_WRITER_H_
