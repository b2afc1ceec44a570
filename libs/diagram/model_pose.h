// Positions of a pose's joints in the figure's space.
#ifndef POSEWIRE_LIBS_DIAGRAM_MODEL_POSE_H_
#define POSEWIRE_LIBS_DIAGRAM_MODEL_POSE_H_

#include <vector>

#include "libs/diagram/body_plan.h"
#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::diagram {

struct ModelPose {
  std::vector<skel::Vec3> position;
  std::vector<skel::Quat> rotation;

  skel::Vec3 At(const Anchor& a) const {
    const auto j = static_cast<size_t>(a.joint);
    return position[j] + skel::Rotate(rotation[j], a.offset);
  }
};

// Missing values are at rest. Scales move the joints below; bones keep their thickness.
ModelPose ToModel(const skel::Rig& rig, const skel::PoseView& pose);

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_MODEL_POSE_H_
