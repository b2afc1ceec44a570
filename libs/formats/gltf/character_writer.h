// Writes characters and scenes of them as binary glTF.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_WRITER_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_WRITER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/character/character_motion.h"
#include "libs/character/scene.h"

namespace posewire::gltf {

struct WriteOptions {
  // Kept per point: 4, or 8, of which many programs read the first 4.
  int influences = 4;
  bool as_json = false;  // as .gltf with the bytes in it, instead of GLB
};

// Writes nodes, skins, meshes with their shapes as morph targets, and materials with pictures as
// PNG, in metres with Y up, facing +Z. A shape that is driven by one shape of the rig has that
// shape's name. An in-between is a target of its own.
//
// Keeps each point's greatest influences, scaled to a sum of 1; skinning is linear; springs are
// dropped. All meshes are written, also those that no choice of a variant shows
// (character::ShownParts). The motions become one animation, without channels for nodes and meshes
// that rest; a shape's weight is divided among its target and its in-betweens. Points keep their
// numbers in the file that the character was read from, so that its moving points still match.
// Props have `extras.posewire.prop`, as in WriteGlbScene; voices are dropped.
//
// A character that is alone also has what glTF has no field for, in extras.posewire: in-betweens,
// correctives, lattices and smoothing, sites and cameras. ReadCharacter reads all of it back.
//
// INVALID_ARGUMENT for a motion of other sizes; INTERNAL for a picture that cannot be encoded;
// RESOURCE_EXHAUSTED for a file of over 1 GiB.
absl::StatusOr<std::string> WriteScene(absl::Span<const character::SceneMember> members,
                                       const WriteOptions& options = {});
// The same for one character; `motion` may be null.
absl::StatusOr<std::string> WriteCharacter(const character::Character& character,
                                           const character::CharacterMotion* motion = nullptr,
                                           const WriteOptions& options = {});

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_WRITER_H_
