// Reads point animations from files.
#ifndef POSEWIRE_LIBS_CHARACTER_FILE_POINT_FILE_H_
#define POSEWIRE_LIBS_CHARACTER_FILE_POINT_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/character/limits.h"
#include "libs/character/point_animation.h"

namespace posewire::character_file {

// Reads the text of a stage (.usda), glTF or GLB. Errors as in ReadCharacter; also INVALID_ARGUMENT
// without any mesh.
absl::StatusOr<std::unique_ptr<character::PointAnimation>> ReadPointAnimation(
    absl::string_view bytes, const character::Limits& limits,
    const asset::ReadSidecar& read_sidecar);

// Opens a .usda, .gltf or .glb file; a folder of .obj files, or a path with one * for their
// numbers, in ascending order. NOT_FOUND if there is none; other errors as above, after the path.
absl::StatusOr<std::unique_ptr<character::PointAnimation>> OpenPointAnimation(
    const std::string& path);

// Returns the file that has the faces of a point animation: the file itself, or the first of .obj
// files. NOT_FOUND if there is none.
absl::StatusOr<std::string> FirstPointFile(const std::string& path);

}  // namespace posewire::character_file

#endif  // POSEWIRE_LIBS_CHARACTER_FILE_POINT_FILE_H_
