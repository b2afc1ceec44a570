// Converts the H-Anim humanoid of an X3D scene (ISO/IEC 19774, 19775-1) to a character: its skin,
// and the shapes on its segments and sites.
//
// A joint rests without rotation about its centre, in the one space in which the whole body is
// modelled. So points need no bind transforms from the file: a skin is bound at its joints'
// centres, and shapes on a segment are a skin of one joint. Joint rotations in the file are a pose,
// and are ignored. H-Anim's displacers are blend shapes.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_CHARACTER_READER_H_
#define POSEWIRE_LIBS_FORMATS_X3D_CHARACTER_READER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"
#include "libs/skel/rig.h"

namespace posewire::x3d {

// Reads a scene's text, with the rig of its own joints and the shapes that its meshes have, with
// the names of hanim_loa4: everything except what character_file::ReadCharacter adds. Pictures come
// from `beside`. INVALID_ARGUMENT begins with the line, and names field, index and value; NOT_FOUND
// for a scene without a humanoid; RESOURCE_EXHAUSTED names a limit. Ignored parts are noted.
absl::Status ReadCharacter(absl::string_view bytes, const skel::RigCatalog& rigs,
                           const character::Limits& limits, const asset::ReadSidecar& read_sidecar,
                           character::Character& out);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_CHARACTER_READER_H_
