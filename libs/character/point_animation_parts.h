// The readers behind ReadPointAnimation. Internal to libs/character.
#ifndef POSEWIRE_LIBS_CHARACTER_POINT_ANIMATION_PARTS_H_
#define POSEWIRE_LIBS_CHARACTER_POINT_ANIMATION_PARTS_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/character/point_animation.h"

namespace posewire::character {

absl::StatusOr<std::unique_ptr<PointAnimation>> ReadStagePoints(absl::string_view bytes,
                                                                const Limits& limits,
                                                                const gltf::ReadBeside& beside);
absl::StatusOr<std::unique_ptr<PointAnimation>> ReadGltfPoints(absl::string_view bytes,
                                                               const Limits& limits,
                                                               const gltf::ReadBeside& beside);

// INVALID_ARGUMENT names the first point that is not finite, or over 1e9.
absl::Status CheckPoints(absl::Span<const skel::Vec3> points, const std::string& name);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_POINT_ANIMATION_PARTS_H_
