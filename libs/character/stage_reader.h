// The things of a USD stage as things of a character: meshes with their skins and blend shapes,
// simple solids, and colours. What UsdSkel means is in libs/formats/usd.
#ifndef POSEWIRE_LIBS_CHARACTER_STAGE_READER_H_
#define POSEWIRE_LIBS_CHARACTER_STAGE_READER_H_

#include "absl/status/status.h"
#include "libs/character/bind.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"
#include "libs/formats/gltf/document.h"
#include "libs/formats/usd/stage.h"

namespace posewire::character {

// Fills in nodes, order, skins, textures, materials and meshes, and a rig of the file's own
// skeleton, with the shapes that its meshes have. Of several skeletons the first that moves a mesh
// counts. Pictures come from `beside`. INVALID_ARGUMENT begins with the line; RESOURCE_EXHAUSTED
// names a limit. What is left out is noted.
absl::Status ReadStage(const usd::Stage& stage, const Limits& limits,
                       const gltf::ReadBeside& beside, Character& out, OwnRig& own);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_STAGE_READER_H_
