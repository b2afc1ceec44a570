// Converts a USD stage to a character: meshes with their skins and blend shapes, simple solids, and
// colours.
#ifndef POSEWIRE_LIBS_FORMATS_USD_CHARACTER_READER_H_
#define POSEWIRE_LIBS_FORMATS_USD_CHARACTER_READER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"
#include "libs/formats/usd/skeleton.h"
#include "libs/formats/usd/stage.h"
#include "libs/skel/rig.h"

namespace posewire::usd {

// Attribute of a SkelRoot whose mouthClose is ACE's: "ace", as Character::ace_mouth.
inline constexpr char kMouthClose[] = "posewire:mouthClose";

struct CharacterOptions {
  // Reads this character of the stage's scene alone (libs/formats/usd/stage_scene.h), in the space
  // of its place: its meshes and what is below its prim. "": the whole stage.
  std::string one = {};
  BindingRules rules = {};
};

// Reads a stage as text, with the rig of its own skeleton and the shapes that its meshes have:
// everything except what character_file::ReadCharacter adds. Of several skeletons, uses the first
// that moves a mesh. Layers and pictures come from `read_sidecar`. INVALID_ARGUMENT begins with the
// line, or lists the characters if there is none of that name; RESOURCE_EXHAUSTED names a limit.
// Ignored parts are noted.
absl::Status ReadCharacter(absl::string_view bytes, const skel::RigCatalog& rigs,
                           const character::Limits& limits, const asset::ReadSidecar& read_sidecar,
                           const CharacterOptions& options, character::Character& out);

// What the parts of a character of a stage were made of.
struct StageParts {
  SkeletonInstances skeletons;  // of each skin; its nodes are the joints, in order
  std::vector<int> mesh_prims;  // of each mesh
};
// Reads all of a stage as one character, without a rig: nodes[0] carries the meshes that no
// skeleton moves, which are in the world. Errors as in ReadCharacter.
absl::Status ReadStageParts(const Stage& stage, const character::Limits& limits,
                            const asset::ReadSidecar& read_sidecar, const BindingRules& rules,
                            character::Character& out, StageParts& parts);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_CHARACTER_READER_H_
