// Blends one pose on top of another.
#ifndef POSEWIRE_LIBS_SKEL_LAYER_JOB_H_
#define POSEWIRE_LIBS_SKEL_LAYER_JOB_H_

#include "absl/status/status.h"
#include "libs/skel/mask.h"
#include "libs/skel/pose.h"

namespace posewire::skel {

// out = lerp(below, layer, weight * mask) for each element that the layer has, and `below` for
// others. An element that only the layer has is copied if its weight is above 0. The weight is
// clamped to 0..1; at 1 the layer's values are copied unchanged, at 0 those of `below`.
//
// `out` may be `below` or `layer`. No allocation; any thread.
struct LayerJob {
  enum class Rotations { kNlerp, kSlerp };

  PoseView below;
  PoseView layer;
  float weight = 1;
  const Mask* mask = nullptr;  // null: 1 everywhere
  Rotations rotations = Rotations::kSlerp;
  PoseSpan out;

  // INVALID_ARGUMENT names the pose or mask whose size differs from `out`.
  absl::Status Validate() const;
  // Returns false and writes nothing unless Validate() is OK.
  bool Run() const;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_LAYER_JOB_H_
