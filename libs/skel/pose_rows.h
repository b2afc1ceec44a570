// The memory layout of a pose's rows.
#ifndef POSEWIRE_LIBS_SKEL_POSE_ROWS_H_
#define POSEWIRE_LIBS_SKEL_POSE_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "libs/skel/pose.h"

namespace posewire::skel {

// Rows with a multiple of this many floats are 64-byte aligned if the first is.
inline constexpr size_t kRowFloats = 16;
constexpr size_t RowFor(size_t floats) {
  return (floats + kRowFloats - 1) / kRowFloats * kRowFloats;
}

// Returns a span over ten rows of `row` floats followed by the weights, and over three rows of
// `presence_row` bytes followed by the weights' presence. Writes no values.
inline PoseSpan SpanOver(float* floats, size_t row, uint8_t* presence, size_t presence_row,
                         int joints, int shapes) {
  PoseSpan span;
  span.joints = joints;
  span.shapes = shapes;
  for (float** r : {&span.tx, &span.ty, &span.tz, &span.qw, &span.qx, &span.qy, &span.qz, &span.sx,
                    &span.sy, &span.sz}) {
    *r = floats;
    floats += row;
  }
  span.weights = floats;
  for (uint8_t** r : {&span.has_t, &span.has_r, &span.has_s}) {
    *r = presence;
    presence += presence_row;
  }
  span.has_w = presence;
  return span;
}

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_POSE_ROWS_H_
