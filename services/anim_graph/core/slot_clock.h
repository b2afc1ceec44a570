// The scheduler's time grid: 16 slots per frame, on which avatars start and tick.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_SLOT_CLOCK_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_SLOT_CLOCK_H_

#include <cstdint>

#include "libs/timecode/frame_rate.h"

namespace posewire::anim_graph {

// Slot s begins at base + s * period / 16, computed from the integer s. Times are nanoseconds of
// one clock.
class SlotClock {
 public:
  static constexpr int64_t kSlotsPerFrame = 16;

  SlotClock(int64_t base_ns, timecode::FrameRate fps) : base_ns_(base_ns), fps_(fps) {}

  int64_t TimeOf(int64_t slot) const {
    const auto ns = static_cast<__int128>(slot) * fps_.den * 1'000'000'000;
    return base_ns_ + static_cast<int64_t>(ns / (kSlotsPerFrame * fps_.num));
  }
  // AtOrBefore returns the newest slot at or before `ns`; AtOrAfter the first at or after `ns`.
  int64_t AtOrBefore(int64_t ns) const {
    const auto n = static_cast<__int128>(ns - base_ns_) * kSlotsPerFrame * fps_.num;
    auto s = static_cast<int64_t>(n / (static_cast<__int128>(fps_.den) * 1'000'000'000));
    while (TimeOf(s) > ns) --s;
    while (TimeOf(s + 1) <= ns) ++s;
    return s;
  }
  int64_t AtOrAfter(int64_t ns) const {
    const int64_t s = AtOrBefore(ns);
    return TimeOf(s) == ns ? s : s + 1;
  }

 private:
  int64_t base_ns_;
  timecode::FrameRate fps_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_SLOT_CLOCK_H_
