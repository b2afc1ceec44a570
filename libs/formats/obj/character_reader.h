// Wavefront OBJ files as characters that no joint moves: a mesh to look at, or to fit a skin to.
#ifndef POSEWIRE_LIBS_FORMATS_OBJ_CHARACTER_READER_H_
#define POSEWIRE_LIBS_FORMATS_OBJ_CHARACTER_READER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"
#include "libs/skel/rig.h"

namespace posewire::obj {

// Reads `v`, `vt`, `vn`, `f`, `o`, `usemtl` and `mtllib` (of materials `Kd`, `d`, `Tr` and
// `map_Kd`); other lines are ignored. A mesh is an object with one material; its points are those
// of the object (see ReadObjSequence), split where texture coordinates or normals differ. Polygons
// are cut into fans. Both sides of faces are drawn, as the format does not say which are. Lengths
// are taken as metres with Y up; character::Bind scales what is too large or too small. Missing
// materials and pictures are noted. Otherwise as gltf::ReadCharacter; INVALID_ARGUMENT begins with
// the line.
absl::Status ReadCharacter(absl::string_view bytes, const skel::RigCatalog& rigs,
                           const character::Limits& limits, const asset::ReadSidecar& read_sidecar,
                           character::Character& out);

}  // namespace posewire::obj

#endif  // POSEWIRE_LIBS_FORMATS_OBJ_CHARACTER_READER_H_
