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

// Node of each bone, -1 for none, as found by skel::Humanoid.
using BoneNodes = std::array<int, skel::kHumanBones>;
BoneNodes FindBones(absl::Span<const std::string> names);

// Returns the shapes that move a target of this name: the one with the same name; if one side has
// it as a whole and the other per side, the whole or both sides. `keys` are skel::ShapeKeyOf of
// each shape.
std::vector<int> SourcesOf(absl::string_view target, absl::Span<const std::string> keys);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_BONE_NAMES_H_
