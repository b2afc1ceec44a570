// When what ticks is to tick: 16 slots a frame, and holes in time.
//
// Everybody ticks once a frame, on the same slot of every frame; whoever comes goes to a slot that
// has not its share yet, so that not all tick at once (docs/adr/0002). A slot whose time passed
// while the thread was busy is made up for within a frame. Older ones are left out: a tick's number
// then jumps, and what ticks sees by it what it has missed. A thread that stood still for longer
// than `hole_s` leaves a hole, over which the seconds that time-outs go by stand still as well.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_TICK_SCHEDULER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_TICK_SCHEDULER_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "services/anim_graph/core/slot_clock.h"

namespace posewire::anim_graph {

// Of members of type T, which it neither owns nor calls. Moments are nanoseconds of one clock that
// does not go back. Nothing is allocated but by Add. One thread.
template <typename T>
class TickScheduler {
 public:
  struct Member {
    T* of;
    int64_t first_slot;  // of its tick 0
    // The number of its tick on one of its slots; below 0 before its first.
    int64_t TickOn(int64_t slot) const {
      return slot < first_slot ? -1 : (slot - first_slot) / SlotClock::kSlotsPerFrame;
    }
  };

  TickScheduler(int64_t start_ns, timecode::FrameRate fps, double hole_s)
      : slots_(start_ns, fps), hole_s_(hole_s) {}

  // What time-outs count: seconds without the holes.
  double Seconds(int64_t ns) const { return static_cast<double>(ns - holes_ns_) * 1e-9; }

  // The moment of its tick 0, at or after `ns`.
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

  // Calls visit(slot, members, late_ns, late) for each slot that is due, in order; `late_ns` after
  // its time, `late` when that is more than a slot, and there are members. When a visit throws, the
  // next call begins again from its first slot.
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
  // The next slot that has members; without any, a frame from the last one.
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
  int64_t last_ = -1;     // the last slot that was visited
  std::array<std::vector<Member>, SlotClock::kSlotsPerFrame> by_phase_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_TICK_SCHEDULER_H_
