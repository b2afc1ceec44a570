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

struct ReadOptions {
  character::Limits limits = {};
  // Returns the files that a .gltf, a stage, an X3D or an OBJ file refers to.
  asset::ReadSidecar read_sidecar = nullptr;
  // Of a USD stage: the character of its scene that is read alone (usd::CharacterOptions), and
  // whether skeletons that are bound outside a SkelRoot count.
  std::string one = {};
  bool outside_skel_root = false;
};

// Reads the bytes of a GLB, glTF or VRM file, of a USD stage as text (.usda), of an X3D file with
// an H-Anim humanoid: .x3d and .x3dv, detected by name or contents; or of a mesh that no joint
// moves, if the name ends in .obj. `name` is used in messages. INVALID_ARGUMENT for a broken file,
// with field, index and value; UNIMPLEMENTED for unsupported required features; RESOURCE_EXHAUSTED
// over a limit.
absl::StatusOr<std::shared_ptr<const character::Character>> ReadCharacter(
    absl::string_view bytes, const std::string& name, const skel::RigCatalog& rigs,
    const ReadOptions& options = {});

// Opens "woman", "man" or the path of a file; "" is the woman. STAGE.usda#NAME is one character of
// a USD stage. If the build had no data for a built-in person, returns the plain figure. Ignores
// options.read_sidecar and options.one. NOT_FOUND or PERMISSION_DENIED for files that cannot
// be read; other errors as above, after the path.
absl::StatusOr<std::shared_ptr<const character::Character>> OpenCharacter(
    const std::string& which, const skel::RigCatalog& rigs, const ReadOptions& options = {});

// Returns `file` with the name of one of its characters, as for OpenCharacter; of a file of another
// format, only the file.
std::string OneOf(const std::string& file, absl::string_view name);

// Returns the bytes of such a file; of a binary stage, its text.
absl::StatusOr<std::string> ReadFile(const std::string& path, const character::Limits& limits);

}  // namespace posewire::character_file

#endif  // POSEWIRE_LIBS_CHARACTER_FILE_READ_CHARACTER_H_
