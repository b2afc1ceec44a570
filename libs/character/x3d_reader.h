// The H-Anim humanoid of an X3D scene (ISO/IEC 19774, 19775-1) as a character: its skin, and what
// its segments and sites carry.
//
// A joint rests unturned about its centre, in the one space that the whole body is modelled in. So
// points need no bind transforms of the file's: a skin binds where its joints' centres are, and
// what hangs on a segment is a skin of one joint. Turns that the file gives its joints are a pose,
// and left out. What H-Anim calls a displacer is a blend shape.
#ifndef POSEWIRE_LIBS_CHARACTER_X3D_READER_H_
#define POSEWIRE_LIBS_CHARACTER_X3D_READER_H_

#include "absl/status/status.h"
#include "libs/character/bind.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"
#include "libs/formats/gltf/document.h"
#include "libs/formats/x3d/scene.h"
#include "libs/skel/rig.h"

namespace posewire::character {

// Fills in nodes, order, skins, textures, materials and meshes, and a rig of the file's own joints
// with the shapes that its meshes have. `standard` has the joints' names and those of shapes:
// hanim_loa4. Pictures come from `beside`. INVALID_ARGUMENT begins with the line, and names field,
// index and value; NOT_FOUND for a scene without a humanoid; RESOURCE_EXHAUSTED names a limit. What
// is left out is noted.
absl::Status ReadX3dCharacter(const x3d::Scene& scene, const skel::Rig& standard,
                              const Limits& limits, const gltf::ReadBeside& beside, Character& out,
                              OwnRig& own);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_X3D_READER_H_
