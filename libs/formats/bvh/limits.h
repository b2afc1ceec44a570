// Limits of the BVH reader and writer.
#ifndef POSEWIRE_LIBS_FORMATS_BVH_LIMITS_H_
#define POSEWIRE_LIBS_FORMATS_BVH_LIMITS_H_

#include <cstddef>

namespace posewire::bvh {

// The longest step between keys of a stream.
inline constexpr double kLongestBvhFrame_s = 300;
inline constexpr size_t kMostBvhLevels = 256;
inline constexpr size_t kMostBvhNameBytes = 1024;

}  // namespace posewire::bvh

#endif  // POSEWIRE_LIBS_FORMATS_BVH_LIMITS_H_
