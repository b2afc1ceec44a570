// A pose that stores only the kinds of values that are present.
#ifndef POSEWIRE_LIBS_CLIP_THIN_POSE_H_
#define POSEWIRE_LIBS_CLIP_THIN_POSE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libs/skel/pose.h"

namespace posewire::clip {

// Stores each kind of values (translations, rotations, scales, weights) of which at least one is
// present. Rows of the other kinds refer to `rest`, which must have the same size and outlive this.
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
  skel::PoseView view_;  // points into the above, or into `rest`
};

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_THIN_POSE_H_
