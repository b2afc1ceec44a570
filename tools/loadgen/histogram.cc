#include "tools/loadgen/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace posewire::loadgen {

int Histogram::StepOf(int64_t ns) {
  constexpr int64_t kMost = (int64_t{1} << kMaxBits) - 1;
  const auto v = static_cast<uint64_t>(std::clamp<int64_t>(ns, 0, kMost));
  const int bits = static_cast<int>(std::bit_width(v));
  const int shift = std::max(0, bits - kStepBits - 1);
  // Above the exact range v >> shift lies in 128..255.
  return (shift << kStepBits) + static_cast<int>(v >> static_cast<unsigned>(shift));
}

int64_t Histogram::UpperEdge(int step) {
  const int shift = std::max(0, (step >> kStepBits) - 1);
  const int64_t mantissa = step - (int64_t{shift} << kStepBits);
  return ((mantissa + 1) << static_cast<unsigned>(shift)) - 1;
}

void Histogram::Add(int64_t ns) {
  ns = std::max<int64_t>(0, ns);
  ++counts_[static_cast<size_t>(StepOf(ns))];
  max_ns_ = std::max(max_ns_, ns);
  ++count_;
}

void Histogram::AddSeconds(double seconds) {
  Add(static_cast<int64_t>(std::llround(std::clamp(seconds, 0.0, 1e9) * 1e9)));
}

int64_t Histogram::Percentile(double percent) const {
  if (count_ == 0) return 0;
  const double rank =
      std::ceil(std::clamp(percent, 0.0, 100.0) / 100 * static_cast<double>(count_));
  const int64_t wanted = std::max<int64_t>(1, static_cast<int64_t>(rank));
  int64_t seen = 0;
  for (int step = 0; step < kSteps; ++step) {
    seen += counts_[static_cast<size_t>(step)];
    if (seen < wanted) continue;
    // The last step also holds all that lies above it.
    return step == kSteps - 1 ? max_ns_ : std::min(UpperEdge(step), max_ns_);
  }
  return max_ns_;
}

}  // namespace posewire::loadgen
