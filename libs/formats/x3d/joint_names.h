// Names of joints in files that are written.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_JOINT_NAMES_H_
#define POSEWIRE_LIBS_FORMATS_X3D_JOINT_NAMES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/x3d/segment_names.h"

namespace posewire::x3d {

// DEFs of joints begin with hanim_ or joint_. This is the only other DEF that does.
inline constexpr char kHumanoidDef[] = "hanim_humanoid";

struct JointNames {
  std::vector<std::string> names, defs;
  std::vector<std::string> known;     // version 1's names; "" for joints that the standard lacks
  std::vector<std::string> segments;  // "" for joints that the standard lacks
  bool is_hanim = false;
  // Of articulation; -1: none has the names, or they are those of another skeleton.
  int level = -1;
};

// Gives the standard's joints their names of a version, and others the prefix x_. Joints within a
// chain of the standard's keep their names, because renamed joints are not allowed there. Parents
// precede children; -1: none. INVALID_ARGUMENT as CheckX3dName.
absl::StatusOr<JointNames> NameJoints(const std::vector<std::string>& labels,
                                      const std::vector<int>& parents,
                                      HAnimVersion version = HAnimVersion::k2);

// INVALID_ARGUMENT begins with `what`, for names that are empty, over 128 bytes, or have control
// characters.
absl::Status CheckX3dName(absl::string_view what, const std::string& name);
// Returns whether a name can be part of a DEF.
bool IsPlainName(absl::string_view name);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_JOINT_NAMES_H_
