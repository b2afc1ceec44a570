// Warnings about names and axes that only the motion gives away: a person who lies down where they
// should stand, a thigh that never turns while its shin does.
#ifndef POSEWIRE_LIBS_RETARGET_MOTION_DOUBTS_H_
#define POSEWIRE_LIBS_RETARGET_MOTION_DOUBTS_H_

#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::retarget {

// Watches the poses of one clip. One thread.
class MotionDoubts {
 public:
  explicit MotionDoubts(std::shared_ptr<const skel::Rig> rig) : rig_(std::move(rig)) {}

  // A pose of the rig. Returns what is doubtful about the first one; "" if nothing is.
  std::string Watch(const skel::PoseView& pose);
  // Returns what is doubtful about all of them; "" if nothing is.
  std::string Judge() const;

 private:
  const std::shared_ptr<const skel::Rig> rig_;
  std::optional<skel::Pose> first_;
  // How far each of kLimbSegments turned from the first pose at most, in radians.
  std::array<float, std::size(skel::kLimbSegments)> turned_ = {};
};

}  // namespace posewire::retarget

#endif  // POSEWIRE_LIBS_RETARGET_MOTION_DOUBTS_H_
