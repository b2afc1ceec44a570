// A hash that identifies poses.
#ifndef POSEWIRE_LIBS_SKEL_POSE_HASH_H_
#define POSEWIRE_LIBS_SKEL_POSE_HASH_H_

#include <cstdint>

#include "libs/skel/pose.h"

namespace posewire::skel {

// FNV-1a, 64 bits, over the present values and over presence, row by row. For several poses, call
// it for one after the other, starting with kPoseHashSeed. `.offsets` files identify their clip by
// it.
inline constexpr uint64_t kPoseHashSeed = 14695981039346656037ull;
uint64_t PoseHash(const PoseView& pose, uint64_t seed);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_POSE_HASH_H_
