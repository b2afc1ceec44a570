// Finds bones and shapes by the names that tools give them.
#ifndef POSEWIRE_LIBS_CHARACTER_BONE_NAMES_H_
#define POSEWIRE_LIBS_CHARACTER_BONE_NAMES_H_

#include <array>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/humanoid.h"

namespace posewire::character {

// For each skel::HumanBone, the index of its node in `names`, or -1. Uses the naming conventions of
// skel::Humanoid.
using BoneNodes = std::array<int, skel::kHumanBones>;
BoneNodes FindBones(absl::Span<const std::string> names);

// Returns the indices in `keys` of the shapes that drive the morph target `target`: the shape of
// the same name; or, for a target of one side of the face, the shape for both sides; or, for a
// target for both sides, the left and the right shape. Empty if there are none. `keys` has the
// skel::ShapeKeyOf of each shape.
std::vector<int> SourcesOf(absl::string_view target, absl::Span<const std::string> keys);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_BONE_NAMES_H_
