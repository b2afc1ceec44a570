// How far a pose is from another where it can be seen: in model space, a little off each joint.
#ifndef POSEWIRE_LIBS_CLIP_MODEL_ERROR_H_
#define POSEWIRE_LIBS_CLIP_MODEL_ERROR_H_

#include <vector>

#include "absl/types/span.h"
#include "libs/skel/affine.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::clip {

// A joint's error is the largest of what happens to three points that far from it along its axes:
// they tell of its own turn and scale too, which its own place does not.
inline constexpr float kVertexDistance_m = 0.03f;

// One joint's transform from model space to that of a pose; absent components are the rig's rest.
skel::Affine ModelOf(const skel::Rig& rig, const skel::PoseView& pose, int joint,
                     absl::Span<const skel::Affine> parents);

// metres
float VertexError(const skel::Affine& a, const skel::Affine& b);

// Walks whole poses. One thread.
class ModelError {
 public:
  explicit ModelError(const skel::Rig& rig);
  // The largest error of any joint.
  float Of(const skel::PoseView& a, const skel::PoseView& b);

 private:
  const skel::Rig& rig_;
  std::vector<skel::Affine> a_, b_;
};

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_MODEL_ERROR_H_
