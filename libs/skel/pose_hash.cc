#include "libs/skel/pose_hash.h"

#include <cstddef>
#include <cstdint>

namespace posewire::skel {
namespace {

uint64_t Hashed(const void* from, size_t bytes, uint64_t hash) {
  const auto* const p = static_cast<const unsigned char*>(from);
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ p[i]) * 1099511628211ull;
  return hash;
}

uint64_t RowHash(const float* values, const uint8_t* has, int n, uint64_t hash) {
  // Absent values do not count: a rig with more shapes gives the same hash.
  int32_t present = 0;
  for (int32_t i = 0; i < n; ++i) {
    if (has[i] == 0) continue;
    hash = Hashed(&i, sizeof(i), hash);
    hash = Hashed(values + i, sizeof(float), hash);
    ++present;
  }
  return Hashed(&present, sizeof(present), hash);
}

}  // namespace

uint64_t PoseHash(const PoseView& pose, uint64_t seed) {
  uint64_t hash = seed;
  for (const float* row : {pose.tx, pose.ty, pose.tz}) {
    hash = RowHash(row, pose.has_t, pose.joints, hash);
  }
  for (const float* row : {pose.qw, pose.qx, pose.qy, pose.qz}) {
    hash = RowHash(row, pose.has_r, pose.joints, hash);
  }
  for (const float* row : {pose.sx, pose.sy, pose.sz}) {
    hash = RowHash(row, pose.has_s, pose.joints, hash);
  }
  return RowHash(pose.weights, pose.has_w, pose.shapes, hash);
}

}  // namespace posewire::skel
