// The built-in table of rigs' names for bones, and of how rigs of different stances correspond
// (data/rigs/rig_map.map).
#ifndef POSEWIRE_LIBS_SKEL_RIG_MAP_TABLE_H_
#define POSEWIRE_LIBS_SKEL_RIG_MAP_TABLE_H_

#include <array>
#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/skel/humanoid.h"

namespace posewire::skel {

// H-Anim V1 and V2, ACE, Unity (and VRM 0), VRM 1, Mixamo, VRoid, SMPL-X.
inline constexpr size_t kRigNamings = 8;

struct RigMapRow {
  // The turn from the arms-down stance to the T-pose from this joint down: none, +90 degrees about
  // Z on the left, -90 on the right.
  enum class Rest { kNone, kLeft, kRight };

  HumanBone bone = HumanBone::kHips;
  Rest rest = Rest::kNone;
  std::array<absl::string_view, kRigNamings> names;  // "" for none
};

// The rows point into `text`.
absl::StatusOr<std::vector<RigMapRow>> ParseRigMap(absl::string_view text);
absl::StatusOr<std::vector<RigMapRow>> BuiltinRigMap();

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_RIG_MAP_TABLE_H_
