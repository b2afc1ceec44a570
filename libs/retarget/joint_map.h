// A user's assignment of a skeleton's joints to bones, for skeletons with unknown joint names.
//
// One line per joint. From a '#' at the start of a line or after a blank, the rest of the line is a
// comment:
//   Bip01 L Clavicle = LeftShoulder   # a bone by Unity's name
//   arm.01           = l_shoulder     # a joint of the rig that the clip is retargeted to
//   helper           = -              # not a bone, in spite of its name
// Joints without a line are identified by their names as usual, unless a line gives their bone to
// another joint.
#ifndef POSEWIRE_LIBS_RETARGET_JOINT_MAP_H_
#define POSEWIRE_LIBS_RETARGET_JOINT_MAP_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/skel/rig.h"

namespace posewire::retarget {

// Immutable; any thread.
class JointMap {
 public:
  // Reads at most 1 MiB. INVALID_ARGUMENT with all faults at once, each a line "FILE:LINE: ...";
  // NOT_FOUND and other errors as of files::ReadWhole.
  static absl::StatusOr<JointMap> Read(const std::string& path);
  static absl::StatusOr<JointMap> Parse(absl::string_view text, absl::string_view name);

  // Returns the skeleton with its joints assigned to bones. INVALID_ARGUMENT as above for joints
  // that the skeleton lacks, for bones that are neither a human's nor a joint of `rig`, and for a
  // bone assigned twice.
  absl::StatusOr<std::shared_ptr<const skel::Rig>> NameBones(const skel::Rig& skeleton,
                                                             const skel::Rig& rig) const;

 private:
  struct Line {
    int number;
    std::string joint, bone;  // "" for none
  };

  std::string name_;
  std::vector<Line> lines_;
};

}  // namespace posewire::retarget

#endif  // POSEWIRE_LIBS_RETARGET_JOINT_MAP_H_
