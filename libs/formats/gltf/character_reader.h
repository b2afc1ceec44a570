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

// Fills in everything except what character_file::ReadCharacter adds. INVALID_ARGUMENT for faults,
// with their path in the JSON; UNIMPLEMENTED for required features that are not supported;
// RESOURCE_EXHAUSTED names a limit. Ignored parts are noted.
absl::Status ReadCharacter(absl::string_view bytes, const skel::RigCatalog& rigs,
                           const character::Limits& limits, const asset::ReadSidecar& read_sidecar,
                           character::Character& out);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_CHARACTER_READER_H_
