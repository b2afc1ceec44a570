// Estimates the offset of a sender's clock from ours, from packets with random delays.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CLOCK_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CLOCK_H_

#include <array>
#include <cstdint>

namespace posewire::a2f_source {

// The offset is the least arrival - sent of the last 10 s: that of the fastest packets. In the
// first half second it is adopted at once, later it is approached by at most 5 ms per second.
// Before the first packet with a time, our time is used as the sender's. Times are seconds. One
// thread.
class VmcClock {
 public:
  // Reports a packet with the sender's time `sent_s` that arrived at `now_s` (never going back).
  // Returns true if the estimate restarts: with the first packet, after two seconds without one,
  // and if the sender's clock jumped against ours by more than a second (it was restarted). Earlier
  // time stamps are then meaningless.
  bool Arrived(double now_s, double sent_s);

  // Returns the sender's time at `now_s`, as if packets took no time.
  double SenderTime(double now_s) const { return now_s - offset_s_; }

 private:
  static constexpr double kForget_s = 2;

  struct Bucket {
    int64_t half_second = -1;
    double least_s = 0;
  };
  void Follow(double now_s);

  std::array<Bucket, 20> buckets_;
  double offset_s_ = 0;
  double first_s_ = 0, newest_s_ = 0;
  bool any_ = false;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CLOCK_H_
