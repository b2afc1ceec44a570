// Which point of a complex mesh is which of the simple rig.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_POINT_MATCH_H_
#define POSEWIRE_TOOLS_ANIMCLIP_POINT_MATCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/character/character.h"
#include "libs/character/point_animation.h"
#include "libs/character/point_skin.h"

namespace posewire::animclip {

struct PointMatch {
  std::vector<int64_t> point_of;   // of each of the skin's points, the animation's; -1: none
  std::vector<std::string> notes;  // meshes that have no twin
};

// Meshes are twins by their names, the second of a name with the second; if no name is shared, one
// after the other, or all of them with the one mesh that the animation has. Twins have as many
// points, in the order of their files. INVALID_ARGUMENT names the mesh, both counts, and what would
// be right.
absl::StatusOr<PointMatch> MatchPoints(const std::vector<character::PointPart>& parts,
                                       const character::PointSkin& skin,
                                       const character::Character& character);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_POINT_MATCH_H_
