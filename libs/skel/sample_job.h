// Samples a keyed array of values, by UsdSkel's rules.
#ifndef POSEWIRE_LIBS_SKEL_SAMPLE_JOB_H_
#define POSEWIRE_LIBS_SKEL_SAMPLE_JOB_H_

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace posewire::skel {

// Writes the value between two keys of out.size() floats: linear, float by float, or, for rotations
// (w x y z, so that out.size() is a multiple of 4), slerp the short way. `t` is 0..1. Slerp does
// not renormalise: rotations are of unit length to 3e-6. No allocation; any thread.
void InterpolateKeys(absl::Span<const float> a, absl::Span<const float> b, float t, bool rotations,
                     absl::Span<float> out);

// Between the two keys around a time: linear, float by float, or slerp the short way for
// quaternions (w x y z). Before the first key and after the last: that key. A time on a key gives
// its very values. No allocation; any thread.
struct SampleJob {
  enum class Interpolation { kLinear, kSlerp, kHeld };

  absl::Span<const double> times_s;  // strictly increasing, at least one
  absl::Span<const float> values;    // out.size() floats a key, key by key
  Interpolation interpolation = Interpolation::kLinear;
  double at_s = 0;
  absl::Span<float> out;

  // INVALID_ARGUMENT: no key, sizes that do not fit, or (slerp) a width that is no multiple of 4.
  absl::Status Validate() const;
  // False, and nothing written, unless Validate() holds.
  bool Run() const;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_SAMPLE_JOB_H_
