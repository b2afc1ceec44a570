#include "libs/skel/key_track.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "libs/skel/interpolate_keys.h"

namespace posewire::skel {
namespace {

constexpr double kSameInstant_s = 1e-5;

}  // namespace

int KeyTrack::Append(absl::Span<const double> time_codes_s, absl::Span<const float> values,
                     double not_before_s) {
  auto first = std::lower_bound(time_codes_s.begin(), time_codes_s.end(), not_before_s);
  if (ever_)
    first = std::max(first, std::upper_bound(time_codes_s.begin(), time_codes_s.end(), newest_s_));
  const auto left_out = static_cast<size_t>(first - time_codes_s.begin());
  Reserve(size_ + time_codes_s.size() - left_out);
  for (size_t i = left_out; i < time_codes_s.size(); ++i) {
    const size_t at = place(size_++);
    codes_[at] = time_codes_s[i];
    std::copy_n(values.data() + i * width_, width_, values_.data() + at * width_);
  }
  if (first != time_codes_s.end()) {
    newest_s_ = time_codes_s.back();
    ever_ = true;
  }
  return static_cast<int>(left_out);
}

void KeyTrack::Reserve(size_t keys) {
  if (keys <= codes_.size()) return;
  size_t capacity = std::max<size_t>(4, codes_.size());
  while (capacity < keys) capacity *= 2;
  std::vector<double> codes(capacity);
  std::vector<float> values(capacity * width_);
  for (size_t i = 0; i < size_; ++i) {
    codes[i] = code(i);
    std::copy_n(key(i).data(), width_, values.data() + i * width_);
  }
  codes_ = std::move(codes);
  values_ = std::move(values);
  head_ = 0;
}

void KeyTrack::DiscardBefore(double time_code_s) {
  // The last key at or before the time code is still needed for interpolation, and the newest key
  // to hold.
  while (size_ > 1 && code(1) <= time_code_s) {
    head_ = place(1);
    --size_;
  }
}

absl::Span<const float> KeyTrack::Sample(double time_code_s, absl::Span<float> scratch) const {
  if (empty()) return {};
  size_t low = 0, high = size_;  // the first key after the time code is in this range
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (code(middle) <= time_code_s) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (high == 0 || (high < size_ && code(high) - time_code_s <= kSameInstant_s)) return key(high);
  low = high - 1;
  if (high == size_ || time_code_s - code(low) <= kSameInstant_s) return key(low);
  const double t = (time_code_s - code(low)) / (code(high) - code(low));
  InterpolateKeys(key(low), key(high), static_cast<float>(t), rotations_, scratch);
  return scratch;
}

}  // namespace posewire::skel
