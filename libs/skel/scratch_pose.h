// Stack memory for a pose of any rig, for poses that are needed only within one call, so that all
// callers use the same memory.
#ifndef POSEWIRE_LIBS_SKEL_SCRATCH_POSE_H_
#define POSEWIRE_LIBS_SKEL_SCRATCH_POSE_H_

#include <cstddef>
#include <cstdint>

#include "libs/skel/pose.h"
#include "libs/skel/pose_rows.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_limits.h"

namespace posewire::skel {

// About 50 KB, of which only the front is used for typical rigs. Not initialised: presence must
// also be written before it is read. Cannot be moved.
class ScratchPose {
 public:
  explicit ScratchPose(const Rig& rig) {
    const size_t row = RowFor(static_cast<size_t>(rig.joints()));
    span_ = SpanOver(floats_, row, presence_, row, rig.joints(), rig.shapes());
  }
  ScratchPose(const ScratchPose&) = delete;
  ScratchPose& operator=(const ScratchPose&) = delete;

  const PoseSpan& span() const { return span_; }
  PoseView view() const { return span_; }

 private:
  static_assert(kMostJoints % kRowFloats == 0);
  alignas(64) float floats_[10 * kMostJoints + kMostShapes];
  uint8_t presence_[3 * kMostJoints + kMostShapes];
  PoseSpan span_;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_SCRATCH_POSE_H_
