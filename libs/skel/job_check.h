// Checks shared by the jobs' Validate().
#ifndef POSEWIRE_LIBS_SKEL_JOB_CHECK_H_
#define POSEWIRE_LIBS_SKEL_JOB_CHECK_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace posewire::skel {

// INVALID_ARGUMENT unless the pose `field` has `joints` joints and `shapes` shapes.
template <typename Pose>
absl::Status CheckPoseSize(absl::string_view field, const Pose& pose, int joints, int shapes) {
  if (pose.joints == joints && pose.shapes == shapes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(field, " has ", pose.joints, " joints and ",
                                                 pose.shapes, " shapes, expected ", joints, " and ",
                                                 shapes));
}

// INVALID_ARGUMENT unless `mask` is null or of that size.
template <typename Mask>
absl::Status CheckMaskSize(const Mask* mask, int joints, int shapes) {
  if (mask == nullptr || (mask->joints() == joints && mask->shapes() == shapes)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("mask has ", mask->joints(), " joints and ",
                                                 mask->shapes(), " shapes, expected ", joints,
                                                 " and ", shapes));
}

// Clamps to 0..1; NaN becomes 0.
inline float ClampWeight(float w) { return w > 0 ? (w < 1 ? w : 1) : 0; }

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_JOB_CHECK_H_
