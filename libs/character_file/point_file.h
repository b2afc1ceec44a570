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

// Of a stage's text (.usda), of glTF or GLB. Errors as of ReadCharacter; INVALID_ARGUMENT also
// without any mesh.
absl::StatusOr<std::unique_ptr<character::PointAnimation>> ReadPointAnimation(
    absl::string_view bytes, const character::Limits& limits, const asset::ReadBeside& beside);

// A .usda, .gltf or .glb file; a folder of .obj files, or a path with one * for their numbers, in
// the order of these. NOT_FOUND for what is not there; the other errors as above, after the path.
absl::StatusOr<std::unique_ptr<character::PointAnimation>> OpenPointAnimation(
    const std::string& path);

}  // namespace posewire::character_file

#endif  // POSEWIRE_LIBS_CHARACTER_FILE_POINT_FILE_H_
