// A pose in no more memory than it says something.
#ifndef POSEWIRE_LIBS_CLIP_THIN_POSE_H_
#define POSEWIRE_LIBS_CLIP_THIN_POSE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libs/skel/pose.h"

namespace posewire::clip {

// Holds the kinds of values (translations, rotations, scales, weights) of which at least one is
// present. The rows of the others are those of `rest`, which is of the same size and outlives it.
class ThinPose {
 public:
  ThinPose() = default;
  ThinPose(const skel::PoseView& pose, const skel::PoseView& rest);
  ThinPose(ThinPose&&) = default;
  ThinPose& operator=(ThinPose&&) = default;

  skel::PoseView view() const { return view_; }
  size_t bytes() const { return floats_.capacity() * sizeof(float) + presence_.capacity(); }

 private:
  std::vector<float> floats_;
  std::vector<uint8_t> presence_;
  skel::PoseView view_;  // into the above
};

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_THIN_POSE_H_
