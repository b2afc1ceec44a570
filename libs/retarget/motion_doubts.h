// Detects wrong joint names and axes that show only in the movement: a person lying down who should
// be upright, a thigh that never turns while its shin does.
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

  // Adds a pose of the rig. Returns a warning about the first pose, or "".
  std::string Watch(const skel::PoseView& pose);
  // Returns a warning about all poses together, or "".
  std::string Judge() const;

 private:
  const std::shared_ptr<const skel::Rig> rig_;
  std::optional<skel::Pose> first_;
  // The largest angle of each of kLimbSegments from the first pose, in radians.
  std::array<float, std::size(skel::kLimbSegments)> turned_ = {};
};

}  // namespace posewire::retarget

#endif  // POSEWIRE_LIBS_RETARGET_MOTION_DOUBTS_H_
