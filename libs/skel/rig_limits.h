// How large a Rig can be: what has room for any needs no more than this.
#ifndef POSEWIRE_LIBS_SKEL_RIG_LIMITS_H_
#define POSEWIRE_LIBS_SKEL_RIG_LIMITS_H_

#include <cstddef>

namespace posewire::skel {

inline constexpr size_t kMostJoints = 1024;
inline constexpr size_t kMostShapes = 512;

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_RIG_LIMITS_H_
