// Bones and shapes by the names that tools give them.
#ifndef POSEWIRE_LIBS_CHARACTER_BONE_NAMES_H_
#define POSEWIRE_LIBS_CHARACTER_BONE_NAMES_H_

#include <array>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/humanoid.h"

namespace posewire::character {

// Which of the named nodes is which bone, -1 for none, as skel::Humanoid finds them.
using BoneNodes = std::array<int, skel::kHumanBones>;
BoneNodes FindBones(absl::Span<const std::string> names);

// The shapes that move a target of this name: the one that is called so; of a shape that one of the
// two knows only as a whole and the other by sides, the whole or both sides. `keys` are
// skel::ShapeKeyOf of each shape.
std::vector<int> SourcesOf(absl::string_view target, absl::Span<const std::string> keys);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_BONE_NAMES_H_
