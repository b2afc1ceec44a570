// Limits how often the log of a live command warns of the same.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_LIVE_WARN_PACE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_LIVE_WARN_PACE_H_

#include <cstdint>
#include <utility>

namespace posewire::a2f_source {

// Seconds between two warnings of a kind.
inline constexpr double kWarnPeriod_s = 10;

// Warnings of one kind, whose cause is counted.
class WarnPace {
 public:
  // If a warning is due now, returns by how much `count` has grown since the last one; otherwise 0.
  uint64_t Due(uint64_t count, double now_s) {
    if (count == told_ || now_s < next_s_) return 0;
    next_s_ = now_s + kWarnPeriod_s;
    return count - std::exchange(told_, count);
  }

 private:
  uint64_t told_ = 0;
  double next_s_ = 0;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_LIVE_WARN_PACE_H_
