#include "services/anim_graph/core/key_track.h"

#include <algorithm>
#include <cstddef>

#include "libs/skel/sample_job.h"

namespace posewire::anim_graph {
namespace {

constexpr double kSameInstant_s = 1e-5;

}  // namespace

int KeyTrack::Append(const wire::KeyBlock& block, double not_before_s) {
  if (head_ > 0 && head_ >= codes_.size() / 2) {
    codes_.erase(codes_.begin(), codes_.begin() + static_cast<ptrdiff_t>(head_));
    values_.erase(values_.begin(), values_.begin() + static_cast<ptrdiff_t>(head_ * width_));
    head_ = 0;
  }
  const auto& codes = block.codes_s;
  auto first = std::lower_bound(codes.begin(), codes.end(), not_before_s);
  if (ever_) first = std::max(first, std::upper_bound(codes.begin(), codes.end(), newest_s_));
  if (first != codes.end()) {
    const ptrdiff_t skip = (first - codes.begin()) * static_cast<ptrdiff_t>(width_);
    codes_.insert(codes_.end(), first, codes.end());
    values_.insert(values_.end(), block.values.begin() + skip, block.values.end());
    newest_s_ = codes.back();
    ever_ = true;
  }
  return static_cast<int>(first - codes.begin());
}

void KeyTrack::DiscardBefore(double code_s) {
  // The key at or before the code is still needed to interpolate from, and the last one to hold.
  while (head_ + 1 < codes_.size() && codes_[head_ + 1] <= code_s) ++head_;
}

bool KeyTrack::Sample(double code_s, absl::Span<float> out) const {
  if (empty()) return false;
  const auto begin = codes_.begin() + static_cast<ptrdiff_t>(head_);
  const auto after = std::upper_bound(begin, codes_.end(), code_s);
  const auto hi = static_cast<size_t>(after - codes_.begin());
  if (after == begin || (after != codes_.end() && *after - code_s <= kSameInstant_s)) {
    std::copy_n(key(hi), width_, out.begin());
    return true;
  }
  const size_t lo = hi - 1;
  if (after == codes_.end() || code_s - codes_[lo] <= kSameInstant_s) {
    std::copy_n(key(lo), width_, out.begin());
    return true;
  }
  const double t = (code_s - codes_[lo]) / (codes_[hi] - codes_[lo]);
  skel::InterpolateKeys({key(lo), width_}, {key(hi), width_}, static_cast<float>(t), rotations_,
                        out);
  return true;
}

}  // namespace posewire::anim_graph
