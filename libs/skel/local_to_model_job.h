// Converts parent-local transforms to model space.
#ifndef POSEWIRE_LIBS_SKEL_LOCAL_TO_MODEL_JOB_H_
#define POSEWIRE_LIBS_SKEL_LOCAL_TO_MODEL_JOB_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/skel/affine.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// A joint's absent components are those of the rig's rest pose. Each non-empty output is filled,
// with one entry per joint:
//   positions  metres, with the scales of the joints above
//   rotations  the product of the local rotations, ignoring scale
//   matrices   local * parent's, as UsdSkel's skel-space transforms
// Set the fields, optionally call Validate(), then Run(). No allocation; any thread.
struct LocalToModelJob {
  const Rig* rig = nullptr;
  PoseView local;
  absl::Span<Vec3> positions;
  absl::Span<Quat> rotations;
  absl::Span<Affine> matrices;

  // INVALID_ARGUMENT: no rig, or sizes other than the rig's.
  absl::Status Validate() const;
  // Returns false and writes nothing unless Validate() is OK.
  bool Run() const;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_LOCAL_TO_MODEL_JOB_H_
