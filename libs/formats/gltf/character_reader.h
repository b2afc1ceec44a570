// Characters from glTF, GLB and VRM files.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_READER_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_READER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"
#include "libs/skel/rig.h"

namespace posewire::gltf {

// Fills in all but what character_file::ReadCharacter adds. INVALID_ARGUMENT for what is
// broken, with its path in the JSON; UNIMPLEMENTED for what the file needs and we do not have;
// RESOURCE_EXHAUSTED names a limit. What is left out is noted.
absl::Status ReadCharacter(absl::string_view bytes, const skel::RigCatalog& rigs,
                           const character::Limits& limits, const asset::ReadBeside& beside,
                           character::Character& out);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_READER_H_
