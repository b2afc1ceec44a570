// Reads characters from files.
#ifndef POSEWIRE_LIBS_CHARACTER_FILE_READ_CHARACTER_H_
#define POSEWIRE_LIBS_CHARACTER_FILE_READ_CHARACTER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"
#include "libs/skel/rig.h"

namespace posewire::character_file {

// Reads the bytes of a GLB, glTF or VRM file, of a USD stage as text (.usda), of an X3D file with
// an H-Anim humanoid: .x3d and .x3dv, detected by name or contents; or of a mesh that no joint
// moves, if the name ends in .obj. `name` is used in messages; `beside` returns the files that a
// .gltf, a stage, an X3D or an OBJ file refers to. INVALID_ARGUMENT for a broken file, with field,
// index and value; UNIMPLEMENTED for unsupported required features; RESOURCE_EXHAUSTED over a
// limit.
absl::StatusOr<std::shared_ptr<const character::Character>> ReadCharacter(
    absl::string_view bytes, const std::string& name, const skel::RigCatalog& rigs,
    const character::Limits& limits = {}, const asset::ReadSidecar& read_sidecar = nullptr);

// Opens "woman", "man" or the path of a file; "" is the woman. If the build had no data for a
// built-in person, returns the plain figure. NOT_FOUND or PERMISSION_DENIED for files that cannot
// be read; other errors as above, after the path.
absl::StatusOr<std::shared_ptr<const character::Character>> OpenCharacter(
    const std::string& which, const skel::RigCatalog& rigs);

}  // namespace posewire::character_file

#endif  // POSEWIRE_LIBS_CHARACTER_FILE_READ_CHARACTER_H_
