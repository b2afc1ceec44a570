// The skeleton of a clip, derived from its keys, for file formats that contain a skeleton.
#ifndef POSEWIRE_LIBS_ASSET_MOTION_SKELETON_H_
#define POSEWIRE_LIBS_ASSET_MOTION_SKELETON_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/asset/motion.h"
#include "libs/skel/math.h"

namespace posewire::asset {

// Joints, parents first. If the clip has translations and includes the parent of each joint, these
// are the joints of the clip. Otherwise they are all joints of the built-in rig that the names
// match, or those of the clip if there is no such rig. Joints of the clip have its first
// translations, if it has any; all others have those at rest.
struct MotionSkeleton {
  struct Joint {
    std::string path;
    int parent = -1;
    int source = -1;  // index in the clip's header; -1: stays at rest
    skel::Vec3 translation;
    skel::Quat rotation;  // at rest
  };
  std::vector<Joint> joints;

  // INVALID_ARGUMENT for a clip without joints, and for a clip without translations whose joints
  // match no built-in rig, because its bone lengths are unknown.
  static absl::StatusOr<MotionSkeleton> Of(const Motion& motion);
};

// Samples a clip at one time code: local translations and rotations in the order of the skeleton.
// One thread.
class MotionPose {
 public:
  // Both must outlive this.
  MotionPose(const Motion& motion, const MotionSkeleton& skeleton);
  void Sample(double time_code_s);

  const std::vector<skel::Vec3>& translations() const { return translations_; }
  const std::vector<skel::Quat>& rotations() const { return rotations_; }

 private:
  const Motion& motion_;
  const MotionSkeleton& skeleton_;
  std::vector<float> between_[wire::kPoseTracks];
  std::vector<skel::Vec3> translations_;
  std::vector<skel::Quat> rotations_;
};

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_MOTION_SKELETON_H_
