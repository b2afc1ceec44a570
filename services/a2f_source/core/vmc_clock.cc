#include "services/a2f_source/core/vmc_clock.h"

#include <algorithm>
#include <cmath>

namespace posewire::a2f_source {
namespace {
constexpr double kBucket_s = 0.5;
constexpr double kLearn_s = 0.5;
constexpr double kSlew = 0.005;
constexpr double kJump_s = 1;
}  // namespace

bool VmcClock::Arrived(double now_s, double sent_s) {
  const double offset_s = now_s - sent_s;
  const bool anew =
      !any_ || std::fabs(offset_s - offset_s_) > kJump_s || now_s - newest_s_ > kForget_s;
  if (anew) {
    buckets_.fill({});
    any_ = true;
    first_s_ = newest_s_ = now_s;
    offset_s_ = offset_s;
  }
  const auto half = static_cast<int64_t>(std::floor(now_s / kBucket_s));
  Bucket& b = buckets_[static_cast<size_t>(half) % buckets_.size()];
  if (b.half_second != half) b = {half, offset_s};
  b.least_s = std::min(b.least_s, offset_s);
  Follow(now_s);
  return anew;
}

void VmcClock::Follow(double now_s) {
  const auto newest = static_cast<int64_t>(std::floor(now_s / kBucket_s));
  double least_s = 0;
  bool found = false;
  for (const Bucket& b : buckets_) {
    if (b.half_second < 0 || newest - b.half_second >= static_cast<int64_t>(buckets_.size()))
      continue;
    least_s = found ? std::min(least_s, b.least_s) : b.least_s;
    found = true;
  }
  if (found && now_s - first_s_ < kLearn_s) {
    offset_s_ = least_s;
  } else if (found) {
    const double most_s = (now_s - newest_s_) * kSlew;
    offset_s_ += std::clamp(least_s - offset_s_, -most_s, most_s);
  }
  newest_s_ = now_s;
}

}  // namespace posewire::a2f_source
