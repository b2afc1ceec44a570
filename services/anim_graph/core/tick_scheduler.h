// Schedules ticks: 16 slots per frame, and gaps in time.
//
// Each member ticks once per frame, in the same slot of every frame. A new member gets a slot that
// still has room, so that ticks are spread over the frame (docs/adr/0002). A slot that passed while
// the thread was busy is made up for if it is less than a frame old. Older slots are skipped: the
// member's tick number jumps, which shows it how many ticks it missed. If the thread stopped for
// longer than `max_gap_s`, this is a gap, and the seconds that time-outs count do not include it.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_TICK_SCHEDULER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_TICK_SCHEDULER_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "services/anim_graph/core/slot_clock.h"

namespace posewire::anim_graph {

// Schedules members of type T, which it neither owns nor calls. Times are nanoseconds of one
// monotonic clock. Only Add allocates. One thread.
template <typename T>
class TickScheduler {
 public:
  struct Member {
    T* of;
    int64_t first_slot;  // the slot of its tick 0
    // Returns the member's tick number in one of its slots; below 0 before its first tick.
    int64_t TickOn(int64_t slot) const {
      return slot < first_slot ? -1 : (slot - first_slot) / SlotClock::kSlotsPerFrame;
    }
  };

  TickScheduler(int64_t start_ns, timecode::FrameRate fps, double max_gap_s)
      : slots_(start_ns, fps), hole_s_(max_gap_s) {}

  // Seconds for time-outs, not counting holes.
  double Seconds(int64_t ns) const { return static_cast<double>(ns - holes_ns_) * 1e-9; }

  // Adds a member, and returns the time of its tick 0, at or after `ns`.
  int64_t Add(T* member, int64_t ns) {
    size_t all = 0;
    for (const auto& members : by_phase_) all += members.size();
    const size_t share = std::max<size_t>(2, all / SlotClock::kSlotsPerFrame + 1);
    int64_t slot = slots_.AtOrAfter(ns);
    while (At(slot).size() >= share) ++slot;
    At(slot).push_back({member, slot});
    return slots_.TimeOf(slot);
  }
  void Remove(const T* member) {
    for (auto& members : by_phase_) {
      std::erase_if(members, [&](const Member& m) { return m.of == member; });
    }
  }

  // Calls visit(slot, members, late_ns, late) for each slot that is due, in order. `late_ns` is the
  // time since the slot; `late` is true if the slot has members and is late by two slots or more.
  // If a visit throws, the next call starts again at this call's first slot.
  template <typename Visit>
  void Advance(int64_t ns, const Visit& visit) {
    const int64_t newest = slots_.AtOrBefore(ns);
    if (last_ >= 0) {
      const int64_t late_ns = ns - slots_.TimeOf(last_ + 1);
      if (static_cast<double>(late_ns) * 1e-9 > hole_s_) holes_ns_ += late_ns;
    }
    const int64_t first = std::max(last_ + 1, newest - SlotClock::kSlotsPerFrame + 1);
    for (int64_t slot = first; slot <= newest; ++slot) {
      const auto& members = At(slot);
      visit(slot, members, ns - slots_.TimeOf(slot),
            !members.empty() && ns >= slots_.TimeOf(slot + 2));
    }
    last_ = std::max(last_, newest);
  }
  // Returns the time of the next slot that has members; without any, one frame after the last slot.
  int64_t NextWake() const {
    int64_t slot = last_ + 1;
    while (slot < last_ + SlotClock::kSlotsPerFrame && by_phase_[Phase(slot)].empty()) ++slot;
    return slots_.TimeOf(slot);
  }

 private:
  static size_t Phase(int64_t slot) {
    return static_cast<size_t>(slot % SlotClock::kSlotsPerFrame);
  }
  std::vector<Member>& At(int64_t slot) { return by_phase_[Phase(slot)]; }

  SlotClock slots_;
  double hole_s_;
  int64_t holes_ns_ = 0;  // sum of the holes
  int64_t last_ = -1;     // the last visited slot
  std::array<std::vector<Member>, SlotClock::kSlotsPerFrame> by_phase_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_TICK_SCHEDULER_H_
