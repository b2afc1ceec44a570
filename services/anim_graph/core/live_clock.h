// Maps the codes of a live source to the avatar's time, following the source's clock gently.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_LIVE_CLOCK_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_LIVE_CLOCK_H_

#include <array>
#include <cstdint>

namespace posewire::anim_graph {

// The offset is the smallest arrival - code over the last 10 s, approached by at most 1 ms a second
// once it runs. Codes that run more than a second ahead are a gap in them: the offset jumps there
// at once. Times are seconds of any one clock. One thread.
class LiveClock {
 public:
  void Arrived(double now_s, double code_s);
  // Until then the offset jumps to the smallest seen.
  void StartRunning(double now_s);
  // The code that plays at `now_s`; only after the first arrival. Never goes back.
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
