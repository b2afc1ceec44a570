// The points of a glTF file's meshes, moved by its first animation.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_POINTS_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_POINTS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/character/limits.h"
#include "libs/character/point_animation.h"

namespace posewire::gltf {

// Errors as in ReadCharacter.
absl::StatusOr<std::unique_ptr<character::PointAnimation>> ReadPoints(
    absl::string_view bytes, const character::Limits& limits,
    const asset::ReadSidecar& read_sidecar);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_POINTS_H_
