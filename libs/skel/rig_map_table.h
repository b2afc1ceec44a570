// The built-in table of how the H-Anim, ACE and Unity rigs meet (data/rigs/rig_map.map).
#ifndef POSEWIRE_LIBS_SKEL_RIG_MAP_TABLE_H_
#define POSEWIRE_LIBS_SKEL_RIG_MAP_TABLE_H_

#include <array>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::skel {

struct RigMapRow {
  // kJoint: the rotation carries over. kRoot: the hips, rotation and translation. kSite: an end
  // joint that carries no pose.
  enum class Kind { kJoint, kRoot, kSite };
  // The turn from the arms-down stance to the T-pose from this joint down: none, +90 degrees about
  // Z on the left, -90 on the right.
  enum class Rest { kNone, kLeft, kRight };

  Kind kind = Kind::kJoint;
  // H-Anim V1, ACE and Unity; "" for none.
  std::array<absl::string_view, 3> names;
  Rest rest = Rest::kNone;
};

absl::StatusOr<std::vector<RigMapRow>> ParseRigMap(absl::string_view text);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_RIG_MAP_TABLE_H_
