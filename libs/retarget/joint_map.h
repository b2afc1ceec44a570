// What a user says of the joints of a skeleton whose names nobody knows.
//
// A line for each joint, and the rest of a line from a '#' at its start or behind a blank is a
// remark:
//   Bip01 L Clavicle = LeftShoulder   # a bone by Unity's name
//   arm.01           = l_shoulder     # a joint of the rig that the clip is carried to
//   helper           = -              # no bone, whatever its name says
// Joints without a line are known by their names as ever, unless a line gives their bone away.
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
  // Of at most 1 MiB. INVALID_ARGUMENT with all faults at once, each a line "FILE:LINE: ...";
  // NOT_FOUND and the like as of files::ReadWhole.
  static absl::StatusOr<JointMap> Read(const std::string& path);
  static absl::StatusOr<JointMap> Parse(absl::string_view text, absl::string_view name);

  // The skeleton, with the bones that the lines say its joints are. INVALID_ARGUMENT as above for
  // joints that the skeleton lacks, for bones that are neither a human's nor a joint of `rig`, and
  // for a bone given twice.
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
