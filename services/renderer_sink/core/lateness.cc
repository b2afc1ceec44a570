#include "services/renderer_sink/core/lateness.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace posewire::renderer_sink {
namespace {

void AddAt(int64_t bucket, int64_t n, std::vector<int64_t>& counts) {
  const size_t index = static_cast<size_t>(std::min(bucket, Lateness::kBuckets - 1));
  if (index >= counts.size()) counts.resize(index + 1);
  counts[index] += n;
}

}  // namespace

void Lateness::Add(double offset_s) {
  const int64_t at = static_cast<int64_t>(std::floor(offset_s / kResolution_s));
  if (current_.empty()) smallest_ = at;
  if (at < smallest_) {
    // All the others were later than was known.
    std::vector<int64_t> moved;
    for (size_t i = 0; i < current_.size(); ++i) {
      if (current_[i] > 0) AddAt(static_cast<int64_t>(i) + smallest_ - at, current_[i], moved);
    }
    current_ = std::move(moved);
    smallest_ = at;
  }
  AddAt(at - smallest_, 1, current_);
}

void Lateness::Restart() {
  before_ = Total();
  current_.clear();
}

std::vector<int64_t> Lateness::Total() const {
  std::vector<int64_t> total = before_;
  if (total.size() < current_.size()) total.resize(current_.size());
  for (size_t i = 0; i < current_.size(); ++i) total[i] += current_[i];
  return total;
}

int64_t Lateness::count() const {
  const std::vector<int64_t> total = Total();
  return std::accumulate(total.begin(), total.end(), int64_t{0});
}

int64_t Lateness::LaterThan(double limit_s) const {
  const std::vector<int64_t> total = Total();
  const auto first = static_cast<size_t>(std::floor(limit_s / kResolution_s + 1e-6)) + 1;
  int64_t late = 0;
  for (size_t i = first; i < total.size(); ++i) late += total[i];
  return late;
}

double Lateness::Percentile(double share) const {
  const std::vector<int64_t> total = Total();
  const int64_t all = std::accumulate(total.begin(), total.end(), int64_t{0});
  if (all == 0) return 0;
  const auto wanted =
      std::max<int64_t>(1, static_cast<int64_t>(std::ceil(share * static_cast<double>(all))));
  int64_t seen = 0;
  size_t i = 0;
  while (i < total.size() && (seen += total[i]) < wanted) ++i;
  return static_cast<double>(i) * kResolution_s;
}

}  // namespace posewire::renderer_sink
