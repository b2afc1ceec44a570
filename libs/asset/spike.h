// The visible shape of a bone: two pyramids, base to base.
#ifndef POSEWIRE_LIBS_ASSET_SPIKE_H_
#define POSEWIRE_LIBS_ASSET_SPIKE_H_

#include <algorithm>
#include <array>
#include <cmath>

#include "libs/skel/math.h"

namespace posewire::asset {

// The mesh of such shapes that writers of clips add, so that any program shows the skeleton.
inline constexpr char kBonesName[] = "Bones";

// Returns the points of a bone between two joints at different places: both ends, and between them
// a square at a fifth of the length. Its corners are a tenth of the length from the axis, at most 2
// cm.
inline std::array<skel::Vec3, 6> SpikePoints(skel::Vec3 from, skel::Vec3 to) {
  constexpr float kThickness = 0.1f, kThickest_m = 0.02f;
  const skel::Vec3 along = to - from;
  const float length = skel::Length(along);
  const skel::Vec3 way = skel::Normalized(along);
  const skel::Vec3 other = std::fabs(way.y) < 0.9f ? skel::Vec3{0, 1, 0} : skel::Vec3{1, 0, 0};
  const skel::Vec3 x = skel::Normalized(skel::Cross(way, other)), y = skel::Cross(way, x);
  const float r = std::min(length * kThickness, kThickest_m);
  const skel::Vec3 base = from + along * 0.2f;
  return {from, base + x * r, base + y * r, base - x * r, base - y * r, to};
}

// Triangles of those points, counter-clockwise seen from outside.
inline constexpr int kSpikeTriangles[8][3] = {{0, 2, 1}, {5, 1, 2}, {0, 3, 2}, {5, 2, 3},
                                              {0, 4, 3}, {5, 3, 4}, {0, 1, 4}, {5, 4, 1}};

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_SPIKE_H_
