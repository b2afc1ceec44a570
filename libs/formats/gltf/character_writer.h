// Writes a character as binary glTF: one from a USD stage or an X3D file for programs that only
// read glTF, such as browsers, and one whose skin was fitted.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_WRITER_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_WRITER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/character/character.h"
#include "libs/skel/affine.h"

namespace posewire::gltf {

// An animation of a character's nodes and shapes.
struct CharacterMotion {
  std::string name;
  std::vector<double> times_s;  // ascending
  // For each time, the local transform of each node.
  std::vector<std::vector<skel::Trs>> nodes;
  // For each mesh, the weights of all its shapes, time after time; an empty list: they rest.
  std::vector<std::vector<float>> weights;
};

// Writes nodes, skins, meshes with their shapes as morph targets, and materials with pictures as
// PNG, in metres with Y up, facing +Z. A shape that is driven by one shape of the rig has that
// shape's name.
//
// Keeps each point's four greatest influences, scaled to a sum of 1, as programs support; skinning
// is linear; in-betweens, correctives, variants and sites are dropped. `motion` (may be null)
// becomes the only animation, without channels for nodes and meshes that rest. Points keep their
// numbers in the file that the character was read from, so that its moving points still match.
// INVALID_ARGUMENT for a motion of other sizes; INTERNAL for a picture that cannot be encoded;
// RESOURCE_EXHAUSTED for a file of over 1 GiB.
absl::StatusOr<std::string> WriteCharacter(const character::Character& character,
                                           const CharacterMotion* motion = nullptr);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_WRITER_H_
