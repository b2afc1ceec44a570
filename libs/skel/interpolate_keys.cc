#include "libs/skel/interpolate_keys.h"

#include "libs/skel/kernels/kernels.h"

namespace posewire::skel {

void InterpolateKeys(absl::Span<const float> a, absl::Span<const float> b, float t, bool rotations,
                     absl::Span<float> out) {
  kernels::Interpolate(a.data(), b.data(), t, rotations, out.size(), out.data());
}

}  // namespace posewire::skel
