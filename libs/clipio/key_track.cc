#include "libs/clipio/key_track.h"

#include <algorithm>

#include "libs/skel/math.h"

namespace posewire::clipio {

void KeyTrack::Append(const wire::KeyBlock& keys) {
  if (keys.empty()) return;
  width_ = static_cast<size_t>(keys.width);
  codes_s_.insert(codes_s_.end(), keys.codes_s.begin(), keys.codes_s.end());
  values_.insert(values_.end(), keys.values.begin(), keys.values.end());
}

absl::Span<const float> KeyTrack::Key(size_t i) const {
  return absl::MakeConstSpan(values_).subspan(i * width_, width_);
}

absl::Span<const float> KeyTrack::Sample(double t_s) {
  if (empty()) return {};
  const auto after = std::upper_bound(codes_s_.begin(), codes_s_.end(), t_s);
  if (after == codes_s_.begin()) return Key(0);
  const auto i = static_cast<size_t>(after - codes_s_.begin()) - 1;
  if (after == codes_s_.end() || codes_s_[i] == t_s) return Key(i);
  const auto t = static_cast<float>((t_s - codes_s_[i]) / (codes_s_[i + 1] - codes_s_[i]));
  const absl::Span<const float> a = Key(i), b = Key(i + 1);
  sample_.resize(width_);
  if (!rotations_) {
    for (size_t k = 0; k < width_; ++k) sample_[k] = a[k] + (b[k] - a[k]) * t;
    return sample_;
  }
  for (size_t k = 0; k + 4 <= width_; k += 4) {
    const skel::Quat q = skel::Normalized(
        skel::Slerp({a[k], a[k + 1], a[k + 2], a[k + 3]}, {b[k], b[k + 1], b[k + 2], b[k + 3]}, t));
    sample_[k] = q.w, sample_[k + 1] = q.x, sample_[k + 2] = q.y, sample_[k + 3] = q.z;
  }
  return sample_;
}

}  // namespace posewire::clipio
