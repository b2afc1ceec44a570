// How late slots of ticks begin, as a histogram.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_LATENESS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_LATENESS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "libs/wire/counter.h"

namespace posewire::anim_graph {

// One thread adds, any may read.
struct LatenessHistogram {
  // Upper bounds; a frame of 60 fps has 16.7 ms.
  static constexpr std::array<double, 11> kBounds_s = {0.0001, 0.00025, 0.0005, 0.001, 0.002, 0.005,
                                                       0.01,   0.02,    0.05,   0.1,   0.5};

  void Add(int64_t late_ns) {
    const double late_s = static_cast<double>(late_ns) * 1e-9;
    size_t i = 0;
    while (i < kBounds_s.size() && late_s > kBounds_s[i]) ++i;
    ++counts[i];
    sum_ns += late_ns;
  }
  void Add(const LatenessHistogram& other) {
    for (size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    sum_ns += other.sum_ns;
  }

  std::array<wire::Counter, kBounds_s.size() + 1> counts;  // the last is of what is later than all
  wire::Counter sum_ns;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_LATENESS_H_
