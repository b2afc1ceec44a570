// Matches the points of a complex mesh to those of the simple rig.
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
  std::vector<int64_t> point_of;   // the animation's point for each of the skin's; -1: none
  std::vector<std::string> notes;  // meshes without a match
};

// Meshes are matched by their names, the second of a name with the second; if they share no name,
// by order, or all of them with the only mesh of the animation. Matched meshes must have equally
// many points, in the order of their files. INVALID_ARGUMENT names the mesh, both counts, and what
// would be valid.
absl::StatusOr<PointMatch> MatchPoints(const std::vector<character::PointPart>& parts,
                                       const character::PointSkin& skin,
                                       const character::Character& character);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_POINT_MATCH_H_
