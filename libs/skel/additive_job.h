// Differences between poses, and their sum with another pose.
#ifndef POSEWIRE_LIBS_SKEL_ADDITIVE_JOB_H_
#define POSEWIRE_LIBS_SKEL_ADDITIVE_JOB_H_

#include "absl/status/status.h"
#include "libs/skel/mask.h"
#include "libs/skel/pose.h"

namespace posewire::skel {

// Subtracts `reference` from `pose`: translations and shape weights by difference, rotations so
// that reference * delta = pose, scales by ratio (1 where the reference's is 0). An element is
// present in the delta if it is present in both. `out` may be `pose`. No allocation; any thread.
struct MakeAdditiveJob {
  PoseView pose;
  PoseView reference;
  PoseSpan out;

  absl::Status Validate() const;
  // Returns false and writes nothing unless Validate() is OK.
  bool Run() const;
};

// Adds weight * mask of a delta to `below`, for elements that both have; all others are `below`'s.
// The weight may be any finite number; anything else counts as 0. `out` may be `below`. No
// allocation; any thread.
struct AdditiveJob {
  PoseView below;
  PoseView delta;
  float weight = 1;
  const Mask* mask = nullptr;  // null: 1 everywhere
  PoseSpan out;

  absl::Status Validate() const;
  // Returns false and writes nothing unless Validate() is OK.
  bool Run() const;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_ADDITIVE_JOB_H_
