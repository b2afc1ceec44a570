#include "services/anim_graph/core/live_clock.h"

#include <algorithm>
#include <cmath>

namespace posewire::anim_graph {
namespace {
constexpr double kBucket_s = 0.5;
constexpr double kSlew = 0.001;
constexpr double kGap_s = 1;
}  // namespace

void LiveClock::Arrived(double now_s, double time_code_s) {
  const double offset = now_s - time_code_s;
  const auto half = static_cast<int64_t>(std::floor(now_s / kBucket_s));
  Bucket& b = buckets_[static_cast<size_t>(half) % buckets_.size()];
  if (b.half_second != half) b = {half, offset};
  b.least_s = std::min(b.least_s, offset);
  if (!any_ || offset < offset_s_ - (running_ ? kGap_s : 0)) offset_s_ = offset;
  any_ = true;
}

void LiveClock::StartRunning(double now_s) {
  running_ = true;
  moved_at_s_ = now_s;
}

double LiveClock::CodeAt(double now_s) {
  if (running_ && now_s > moved_at_s_) {
    const double most = (now_s - moved_at_s_) * kSlew;
    offset_s_ += std::clamp(Target(now_s) - offset_s_, -most, most);
    moved_at_s_ = now_s;
  }
  return now_s - offset_s_;
}

double LiveClock::Target(double now_s) const {
  const auto newest = static_cast<int64_t>(std::floor(now_s / kBucket_s));
  double least = 0;
  bool found = false;
  for (const Bucket& b : buckets_) {
    if (b.half_second < 0 || newest - b.half_second >= static_cast<int64_t>(buckets_.size()))
      continue;
    least = found ? std::min(least, b.least_s) : b.least_s;
    found = true;
  }
  return found ? least : offset_s_;
}

}  // namespace posewire::anim_graph
