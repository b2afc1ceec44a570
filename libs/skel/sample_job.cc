#include "libs/skel/sample_job.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "libs/skel/kernels/kernels.h"

namespace posewire::skel {

void InterpolateKeys(absl::Span<const float> a, absl::Span<const float> b, float t, bool rotations,
                     absl::Span<float> out) {
  kernels::Interpolate(a.data(), b.data(), t, rotations, out.size(), out.data());
}

absl::Status SampleJob::Validate() const {
  if (times_s.empty()) {
    return absl::InvalidArgumentError("times_s is empty, expected one key or more");
  }
  if (values.size() != times_s.size() * out.size()) {
    return absl::InvalidArgumentError(absl::StrCat("values has ", values.size(),
                                                   " floats, expected ", times_s.size(),
                                                   " keys of ", out.size()));
  }
  if (interpolation == Interpolation::kSlerp && out.size() % 4 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("out has ", out.size(), " floats, expected 4 a quaternion"));
  }
  return absl::OkStatus();
}

bool SampleJob::Run() const {
  if (!Validate().ok()) return false;
  const size_t width = out.size();
  // The first key after the time; the one before it is the newest at or before.
  const auto after =
      static_cast<size_t>(std::upper_bound(times_s.begin(), times_s.end(), at_s) - times_s.begin());
  const size_t from = after == 0 ? 0 : after - 1;
  const absl::Span<const float> a = values.subspan(from * width, width);
  const bool hold = after == 0 || after == times_s.size() || times_s[from] == at_s ||
                    interpolation == Interpolation::kHeld;
  if (hold) {
    std::copy(a.begin(), a.end(), out.begin());
    return true;
  }
  const absl::Span<const float> b = values.subspan(after * width, width);
  const auto t = static_cast<float>((at_s - times_s[from]) / (times_s[after] - times_s[from]));
  InterpolateKeys(a, b, t, interpolation == Interpolation::kSlerp, out);
  return true;
}

}  // namespace posewire::skel
