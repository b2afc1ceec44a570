// What tests of the faces of phones ask of a recorded request.
#ifndef POSEWIRE_TESTS_UNIT_A2F_SOURCE_FACE_CHANGES_H_
#define POSEWIRE_TESTS_UNIT_A2F_SOURCE_FACE_CHANGES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "libs/skel/math.h"
#include "tests/unit/a2f_source/vmc_recorder.h"

namespace posewire::a2f_source {

// Returns the weight of a shape in the last frame.
inline float WeightOf(const VmcRecorder::Request& request, const std::string& shape) {
  const auto& names = request.header.skel_animation_header().blend_shapes();
  const auto at = std::find(names.begin(), names.end(), shape);
  EXPECT_NE(at, names.end()) << shape;
  const auto& weights = request.frames.back().skel_animation().blend_shape_weights(0);
  return weights.values(static_cast<int>(at - names.begin()));
}

// Returns the largest change of a weight from one frame to the next, and of the head's rotation in
// degrees.
inline std::pair<double, double> LargestChanges(
    const std::vector<nvidia_ace::animation_data::v1::AnimationData>& frames) {
  double weight = 0, angle_rad = 0;
  for (size_t f = 1; f < frames.size(); ++f) {
    const auto& a = frames[f - 1].skel_animation();
    const auto& b = frames[f].skel_animation();
    for (int s = 0; s < b.blend_shape_weights(0).values_size(); ++s) {
      weight = std::max<double>(weight, std::fabs(b.blend_shape_weights(0).values(s) -
                                                  a.blend_shape_weights(0).values(s)));
    }
    const auto quat = [](const auto& q) { return skel::Quat{q.real(), q.i(), q.j(), q.k()}; };
    angle_rad = std::max<double>(angle_rad, skel::AngleBetween(quat(a.rotations(0).values(0)),
                                                               quat(b.rotations(0).values(0))));
  }
  return {weight, angle_rad / skel::kDeg};
}

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_TESTS_UNIT_A2F_SOURCE_FACE_CHANGES_H_
