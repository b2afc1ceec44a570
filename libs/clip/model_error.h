// Measures the visible difference of two poses: in model space, a short distance from each joint.
#ifndef POSEWIRE_LIBS_CLIP_MODEL_ERROR_H_
#define POSEWIRE_LIBS_CLIP_MODEL_ERROR_H_

#include <vector>

#include "absl/types/span.h"
#include "libs/skel/affine.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::clip {

// A joint's error is the largest displacement of three points at this distance along its axes.
// Unlike the joint's own place, these also show its rotation and scale.
inline constexpr float kVertexDistance_m = 0.03f;

// Returns one joint's transform from model space in a pose; absent components are the rig's rest.
skel::Affine ModelOf(const skel::Rig& rig, const skel::PoseView& pose, int joint,
                     absl::Span<const skel::Affine> parents);

// In metres.
float VertexError(const skel::Affine& a, const skel::Affine& b);

// Compares whole poses. One thread.
class ModelError {
 public:
  explicit ModelError(const skel::Rig& rig);
  // Returns the largest error of any joint.
  float Of(const skel::PoseView& a, const skel::PoseView& b);

 private:
  const skel::Rig& rig_;
  std::vector<skel::Affine> a_, b_;
};

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_MODEL_ERROR_H_
