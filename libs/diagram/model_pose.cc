#include "libs/diagram/model_pose.h"

#include "absl/types/span.h"
#include "libs/skel/local_to_model_job.h"

namespace posewire::diagram {

ModelPose ToModel(const skel::Rig& rig, const skel::PoseView& pose) {
  ModelPose out;
  out.position.resize(static_cast<size_t>(rig.joints()));
  out.rotation.resize(static_cast<size_t>(rig.joints()));
  skel::LocalToModelJob job;
  job.rig = &rig;
  job.local = pose;
  job.positions = absl::MakeSpan(out.position);
  job.rotations = absl::MakeSpan(out.rotation);
  job.Run();
  return out;
}

}  // namespace posewire::diagram
