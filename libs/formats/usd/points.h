// The points of a stage's meshes over time.
#ifndef POSEWIRE_LIBS_FORMATS_USD_POINTS_H_
#define POSEWIRE_LIBS_FORMATS_USD_POINTS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/character/limits.h"
#include "libs/character/point_animation.h"

namespace posewire::usd {

// Reads a stage as text. Errors as in ReadCharacter.
absl::StatusOr<std::unique_ptr<character::PointAnimation>> ReadPoints(
    absl::string_view bytes, const character::Limits& limits,
    const asset::ReadSidecar& read_sidecar);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_POINTS_H_
