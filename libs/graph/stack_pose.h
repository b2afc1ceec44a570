// A pose that lives as long as a function call.
#ifndef POSEWIRE_LIBS_GRAPH_STACK_POSE_H_
#define POSEWIRE_LIBS_GRAPH_STACK_POSE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "libs/skel/pose.h"
#include "libs/skel/pose_rows.h"

namespace posewire::graph {

// Scratch memory on the stack, which is in the L1 cache whichever avatar ticks; for a rig too large
// for that, the caller's spare pose is used. Unlike a skel::ScratchPose it is small enough for each
// of a hundred nested nodes to have one or two. Elements have no values or presence until they are
// written.
class StackPose {
 public:
  // Returns the pose that a node stores for large rigs; empty for all others.
  static skel::Pose SpareFor(int joints, int shapes) {
    return Fits(joints, shapes) ? skel::Pose() : skel::Pose(joints, shapes);
  }

  StackPose(int joints, int shapes, skel::Pose& spare) {
    if (!Fits(joints, shapes)) {
      span_ = spare.span();
      return;
    }
    span_ = skel::SpanOver(floats_.data(), kJoints, presence_.data(), kJoints, joints, shapes);
  }
  StackPose(const StackPose&) = delete;
  StackPose& operator=(const StackPose&) = delete;

  const skel::PoseSpan& span() const { return span_; }
  skel::PoseView view() const { return span_; }

 private:
  static constexpr size_t kJoints = 160, kShapes = 80;
  static_assert(kJoints % skel::kRowFloats == 0);
  static bool Fits(int joints, int shapes) {
    return static_cast<size_t>(joints) <= kJoints && static_cast<size_t>(shapes) <= kShapes;
  }

  alignas(64) std::array<float, 10 * kJoints + kShapes> floats_;
  alignas(64) std::array<uint8_t, 3 * kJoints + kShapes> presence_;
  skel::PoseSpan span_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_STACK_POSE_H_
