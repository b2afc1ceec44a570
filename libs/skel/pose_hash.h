// A number by which poses are known again.
#ifndef POSEWIRE_LIBS_SKEL_POSE_HASH_H_
#define POSEWIRE_LIBS_SKEL_POSE_HASH_H_

#include <cstdint>

#include "libs/skel/pose.h"

namespace posewire::skel {

// FNV-1a, 64 bits, over the values that are there and over presence, row after row; of several
// poses one after the other from kPoseHashSeed on. `.offsets` files know their clip by it.
inline constexpr uint64_t kPoseHashSeed = 14695981039346656037ull;
uint64_t PoseHash(const PoseView& pose, uint64_t seed);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_POSE_HASH_H_
