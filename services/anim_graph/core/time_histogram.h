// A histogram of durations with fixed bounds.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_TIME_HISTOGRAM_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_TIME_HISTOGRAM_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "libs/wire/counter.h"

namespace posewire::anim_graph {

// `Bounds` has the upper bounds in seconds, kBounds_s, in rising order. One thread adds; any thread
// may read.
template <typename Bounds>
struct TimeHistogram {
  static constexpr const auto& kBounds_s = Bounds::kBounds_s;

  void Add(int64_t time_ns) {
    const double time_s = static_cast<double>(time_ns) * 1e-9;
    size_t i = 0;
    while (i < kBounds_s.size() && time_s > kBounds_s[i]) ++i;
    ++counts[i];
    sum_ns += time_ns;
  }
  void Add(const TimeHistogram& other) {
    for (size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    sum_ns += other.sum_ns;
  }

  // The last count is for durations above all bounds.
  std::array<wire::Counter, Bounds::kBounds_s.size() + 1> counts;
  wire::Counter sum_ns;
};

// Bounds for how late ticks begin. A frame at 60 fps takes 16.7 ms.
struct LatenessBounds {
  static constexpr std::array<double, 11> kBounds_s = {0.0001, 0.00025, 0.0005, 0.001, 0.002, 0.005,
                                                       0.01,   0.02,    0.05,   0.1,   0.5};
};
// Bounds for how long a message waits until it is displayed: a few ticks for a live performer,
// seconds for a file that is sent ahead.
struct WaitBounds {
  static constexpr std::array<double, 11> kBounds_s = {0.01, 0.02, 0.035, 0.05, 0.1, 0.2,
                                                       0.35, 0.5,  1,     2,    5};
};
using LatenessHistogram = TimeHistogram<LatenessBounds>;
using WaitHistogram = TimeHistogram<WaitBounds>;

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_TIME_HISTOGRAM_H_
