// Interpolates between two keys of a track, by UsdSkel's rules.
#ifndef POSEWIRE_LIBS_SKEL_INTERPOLATE_KEYS_H_
#define POSEWIRE_LIBS_SKEL_INTERPOLATE_KEYS_H_

#include "absl/types/span.h"

namespace posewire::skel {

// Interpolates two keys of out.size() floats: linear, float by float, or, for rotations (w x y z,
// so out.size() is a multiple of 4), slerp along the shorter way. `t` is 0..1. Slerp does not
// renormalise: rotations have unit length to 3e-6. No allocation; any thread.
void InterpolateKeys(absl::Span<const float> a, absl::Span<const float> b, float t, bool rotations,
                     absl::Span<float> out);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_INTERPOLATE_KEYS_H_
