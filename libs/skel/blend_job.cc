#include "libs/skel/blend_job.h"

#include "libs/skel/job_check.h"
#include "libs/skel/kernels/kernels.h"
#include "libs/skel/rig_limits.h"

namespace posewire::skel {
absl::Status BlendJob::Validate() const {
  if (out.joints > static_cast<int>(kMostJoints) || out.shapes > static_cast<int>(kMostShapes)) {
    return absl::InvalidArgumentError(absl::StrCat("out has ", out.joints, " joints and ",
                                                   out.shapes, " shapes, expected at most ",
                                                   kMostJoints, " and ", kMostShapes));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const PoseView& pose = inputs[i].pose;
    if (pose.joints != out.joints || pose.shapes != out.shapes) {
      return CheckPoseSize(absl::StrCat("inputs[", i, "]"), pose, out.joints, out.shapes);
    }
    if (absl::Status s = CheckMaskSize(inputs[i].mask, out.joints, out.shapes); !s.ok()) return s;
  }
  if (below.joints == 0 && below.shapes == 0) return absl::OkStatus();
  return CheckPoseSize("below", below, out.joints, out.shapes);
}

bool BlendJob::Run() const {
  if (!Validate().ok()) return false;
  const Input* only = nullptr;
  int count = 0;
  for (const Input& in : inputs) {
    if (!(in.weight > 0)) continue;
    only = &in;
    ++count;
  }
  if (count == 1 && only->mask == nullptr && below.joints == out.joints &&
      below.shapes == out.shapes) {
    kernels::Layer({.below = below, .layer = only->pose, .out = out});
  } else {
    kernels::Blend(*this);
  }
  return true;
}

}  // namespace posewire::skel
