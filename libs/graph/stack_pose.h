// A pose for the time of a function.
#ifndef POSEWIRE_LIBS_GRAPH_STACK_POSE_H_
#define POSEWIRE_LIBS_GRAPH_STACK_POSE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "libs/skel/pose.h"

namespace posewire::graph {

// Scratch on the stack, which is in the first cache whatever avatar ticks; a rig that is too large
// for that brings scratch of its own. Its elements have no values or presence until they are
// written.
class StackPose {
 public:
  // What a node keeps for large rigs: empty for all others.
  static skel::Pose SpareFor(int joints, int shapes) {
    return Fits(joints, shapes) ? skel::Pose() : skel::Pose(joints, shapes);
  }

  StackPose(int joints, int shapes, skel::Pose& spare) {
    if (!Fits(joints, shapes)) {
      span_ = spare.span();
      return;
    }
    span_.joints = joints, span_.shapes = shapes;
    float* row = floats_.data();
    for (float** r : {&span_.tx, &span_.ty, &span_.tz, &span_.qw, &span_.qx, &span_.qy, &span_.qz,
                      &span_.sx, &span_.sy, &span_.sz}) {
      *r = row;
      row += kJoints;
    }
    span_.weights = row;
    uint8_t* has = presence_.data();
    span_.has_t = has, span_.has_r = has + kJoints, span_.has_s = has + 2 * kJoints;
    span_.has_w = has + 3 * kJoints;
  }
  StackPose(const StackPose&) = delete;
  StackPose& operator=(const StackPose&) = delete;

  const skel::PoseSpan& span() const { return span_; }
  skel::PoseView view() const { return span_; }

 private:
  // Multiples of 16, so that rows start on 64 bytes.
  static constexpr size_t kJoints = 160, kShapes = 80;
  static bool Fits(int joints, int shapes) {
    return static_cast<size_t>(joints) <= kJoints && static_cast<size_t>(shapes) <= kShapes;
  }

  alignas(64) std::array<float, 10 * kJoints + kShapes> floats_;
  alignas(64) std::array<uint8_t, 3 * kJoints + kShapes> presence_;
  skel::PoseSpan span_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_STACK_POSE_H_
