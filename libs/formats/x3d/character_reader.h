// The H-Anim humanoid of an X3D scene (ISO/IEC 19774, 19775-1) as a character: its skin, and what
// its segments and sites carry.
//
// A joint rests unturned about its centre, in the one space that the whole body is modelled in. So
// points need no bind transforms of the file's: a skin binds where its joints' centres are, and
// what hangs on a segment is a skin of one joint. Turns that the file gives its joints are a pose,
// and left out. What H-Anim calls a displacer is a blend shape.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_CHARACTER_READER_H_
#define POSEWIRE_LIBS_FORMATS_X3D_CHARACTER_READER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"
#include "libs/skel/rig.h"

namespace posewire::x3d {

// From a scene's text, with the rig of its own joints and the shapes that its meshes have, by the
// names of hanim_loa4: all but what character_file::ReadCharacter adds. Pictures come
// from `beside`. INVALID_ARGUMENT begins with the line, and names field, index and value; NOT_FOUND
// for a scene without a humanoid; RESOURCE_EXHAUSTED names a limit. What is left out is noted.
absl::Status ReadCharacter(absl::string_view bytes, const skel::RigCatalog& rigs,
                           const character::Limits& limits, const asset::ReadBeside& beside,
                           character::Character& out);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_CHARACTER_READER_H_
