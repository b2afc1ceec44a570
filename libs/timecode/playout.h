// Where a request stands on an avatar's ticks.
#ifndef POSEWIRE_LIBS_TIMECODE_PLAYOUT_H_
#define POSEWIRE_LIBS_TIMECODE_PLAYOUT_H_

#include <cstdint>

#include "libs/timecode/frame_rate.h"

namespace posewire::timecode {

// The codes that a request shows. Its zero is the smallest time code received before it starts,
// moved to the nearest tick within 1 ms; it advances by whole ticks. Where the zero lies on a tick,
// so do all codes, exactly as n / fps: keys at n / fps pass unchanged.
class Playout {
 public:
  Playout(double earliest_code_s, const FrameRate& fps)
      : fps_(fps), zero_s_(SnapToTick(earliest_code_s, fps)), zero_tick_(fps.NearestTick(zero_s_)) {
    on_tick_ = fps_.SecondsAt(zero_tick_) == zero_s_;
  }

  double zero_s() const { return zero_s_; }
  // The code at the n-th tick that the request has played.
  double CodeAt(int64_t n) const {
    return on_tick_ ? fps_.SecondsAt(zero_tick_ + n) : zero_s_ + fps_.SecondsAt(n);
  }
  // Whether data up to `newest_code_s` fills the prebuffer at the n-th tick.
  bool PrebufferFilled(double newest_code_s, int64_t n, double prebuffer_s) const {
    constexpr double kRounding_s = 1e-9;
    return newest_code_s - CodeAt(n) >= prebuffer_s - kRounding_s;
  }

 private:
  FrameRate fps_;
  double zero_s_;
  int64_t zero_tick_;
  bool on_tick_ = false;
};

}  // namespace posewire::timecode

#endif  // POSEWIRE_LIBS_TIMECODE_PLAYOUT_H_
