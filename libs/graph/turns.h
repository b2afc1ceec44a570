// Measures how far joints rotate between two poses, for all joints at once.
#ifndef POSEWIRE_LIBS_GRAPH_TURNS_H_
#define POSEWIRE_LIBS_GRAPH_TURNS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace posewire::graph {

// The rotations of a pose.
struct RotationRows {
  const float *w, *x, *y, *z;
  const uint8_t* has;
};
template <typename Pose>
RotationRows RotationsOf(const Pose& pose) {
  return {pose.qw, pose.qx, pose.qy, pose.qz, pose.has_r};
}

// Returns the squared cosine of half the rotation of one joint, regardless of presence.
inline float TurnCos2(const RotationRows& a, const RotationRows& b, size_t j) {
  const float dot = a.w[j] * b.w[j] + a.x[j] * b.x[j] + a.y[j] * b.y[j] + a.z[j] * b.z[j];
  return dot * dot;
}

// Returns the smallest of these over all joints that both have (the joint that rotates furthest);
// at most 1.
inline float LeastTurnCos2(const RotationRows& a, const RotationRows& b, size_t joints) {
  constexpr size_t kLanes = 8;
  std::array<float, kLanes> least;
  least.fill(1);
  size_t j = 0;
  for (; j + kLanes <= joints; j += kLanes) {
    for (size_t i = 0; i < kLanes; ++i) {
      const auto both = static_cast<float>(a.has[j + i] & b.has[j + i]);
      const float cos2 = 1 + both * (TurnCos2(a, b, j + i) - 1);
      least[i] = cos2 < least[i] ? cos2 : least[i];
    }
  }
  for (; j < joints; ++j) {
    if ((a.has[j] & b.has[j]) != 0) least[0] = std::min(least[0], TurnCos2(a, b, j));
  }
  return *std::min_element(least.begin(), least.end());
}

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_TURNS_H_
