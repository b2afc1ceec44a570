// Maps the time codes of a live source to the avatar's time, and follows the source's clock slowly.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_LIVE_CLOCK_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_LIVE_CLOCK_H_

#include <array>
#include <cstdint>

namespace posewire::anim_graph {

// The offset is the minimum of (arrival time - time code) over the last 10 s. Once running, the
// clock approaches it by at most 1 ms per second. Time codes that jump ahead by more than a second
// are a gap: the offset then changes immediately. Times are seconds of any one clock. One thread.
class LiveClock {
 public:
  void Arrived(double now_s, double time_code_s);
  // Until this call, the offset jumps to the smallest one seen.
  void StartRunning(double now_s);
  // Returns the time code that plays at `now_s`. Call only after the first arrival. The result
  // never decreases.
  double CodeAt(double now_s);
  double offset_s() const { return offset_s_; }

 private:
  double Target(double now_s) const;

  struct Bucket {
    int64_t half_second = -1;
    double least_s = 0;
  };
  std::array<Bucket, 20> buckets_;
  double offset_s_ = 0;
  double moved_at_s_ = 0;
  bool any_ = false;
  bool running_ = false;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_LIVE_CLOCK_H_
