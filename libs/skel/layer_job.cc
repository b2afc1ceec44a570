#include "libs/skel/layer_job.h"

#include "libs/skel/job_check.h"
#include "libs/skel/kernels/kernels.h"

namespace posewire::skel {
absl::Status LayerJob::Validate() const {
  if (absl::Status s = CheckPoseSize("below", below, out.joints, out.shapes); !s.ok()) return s;
  if (absl::Status s = CheckPoseSize("layer", layer, out.joints, out.shapes); !s.ok()) return s;
  return CheckMaskSize(mask, out.joints, out.shapes);
}

bool LayerJob::Run() const {
  if (!Validate().ok()) return false;
  kernels::Layer(*this);
  return true;
}

}  // namespace posewire::skel
