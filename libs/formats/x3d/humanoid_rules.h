// The rules of H-Anim (ISO/IEC 19774) for a humanoid in a file.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_HUMANOID_RULES_H_
#define POSEWIRE_LIBS_FORMATS_X3D_HUMANOID_RULES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/formats/x3d/scene.h"
#include "libs/skel/rig.h"

namespace posewire::x3d {

constexpr size_t kMostBreaks = 1000;

// A broken rule, and the line of its node in the main file, or in that of an Inline.
struct RuleBreak {
  int line = 0;
  std::string what;
  std::string file = {};  // of an Inline; "" for the main file
};

// Checks the first humanoid: its root, names, order and parents of joints; segments, sites and
// displacers, what holds them and their names; limits, stiffness, skin and the lists of the
// humanoid; and the position in which it is modelled. `standard` is hanim_loa4. Returns at most
// kMostBreaks, by file and line. Errors are those of ReadHumanoid.
absl::StatusOr<std::vector<RuleBreak>> CheckHumanoidRules(const Scene& scene,
                                                          const skel::Rig& standard);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_HUMANOID_RULES_H_
