// Where a sender's clock stands against ours, told from packets that come late by chance.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CLOCK_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CLOCK_H_

#include <array>
#include <cstdint>

namespace posewire::a2f_source {

// The offset is the least arrival - sent of the last 10 s: that of the packets that came fastest.
// In the first half second it is taken at once, then approached by at most 5 ms a second. Before
// any packet told its time, our time is taken for the sender's. Times are seconds. One thread.
class VmcClock {
 public:
  // A packet of sender's time `sent_s` came at `now_s` (never going back). True when the reckoning
  // begins anew: with the first packet, after two seconds without one, and when the sender's clock
  // has jumped against ours by more than a second (it was started again). All that was stamped with
  // times before that is worth nothing then.
  bool Arrived(double now_s, double sent_s);

  // The sender's time at `now_s`, if packets took no time.
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
