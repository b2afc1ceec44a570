// Blends any number of poses by weight, element by element.
#ifndef POSEWIRE_LIBS_SKEL_BLEND_JOB_H_
#define POSEWIRE_LIBS_SKEL_BLEND_JOB_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/skel/mask.h"
#include "libs/skel/pose.h"

namespace posewire::skel {

// Each element (translation, rotation and scale of a joint, weight of a shape) becomes sum(w x) /
// sum(w) over the inputs that have it. If that sum of weights is zero, it is `below`'s, present or
// absent; at the bottom of a stack, pass the rig's rest pose. Rotations are summed with signs
// aligned to the first one with a weight, and normalised. Weights of 0 or less, and NaN, count as
// 0; they need not add up to 1. An input's mask multiplies its weight.
//
// `out` may be one of the inputs or `below`. No allocation; any thread.
struct BlendJob {
  struct Input {
    PoseView pose;
    float weight = 0;
    const Mask* mask = nullptr;  // null: 1 everywhere
  };
  absl::Span<const Input> inputs;
  PoseView below;  // of size 0: no pose below, and elements that no input has are absent
  PoseSpan out;

  // INVALID_ARGUMENT names the pose or mask whose size differs from `out`, or reports that `out` is
  // larger than a rig can be.
  absl::Status Validate() const;
  // Returns false and writes nothing unless Validate() is OK.
  bool Run() const;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_BLEND_JOB_H_
