// Maximum size of a Rig: a buffer for this many elements fits any rig.
#ifndef POSEWIRE_LIBS_SKEL_RIG_LIMITS_H_
#define POSEWIRE_LIBS_SKEL_RIG_LIMITS_H_

#include <cstddef>

namespace posewire::skel {

inline constexpr size_t kMostJoints = 1024;
inline constexpr size_t kMostShapes = 512;

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_RIG_LIMITS_H_
