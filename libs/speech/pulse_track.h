// Short movements that rise, hold and fall.
#ifndef POSEWIRE_LIBS_SPEECH_PULSE_TRACK_H_
#define POSEWIRE_LIBS_SPEECH_PULSE_TRACK_H_

#include <algorithm>
#include <deque>

#include "libs/speech/easing_curves.h"

namespace posewire::speech {

struct Pulse {
  double from_s, top_s, top_end_s, to_s;
  float amount;

  float At(double t_s) const { return amount * Bump(t_s, from_s, top_s, top_end_s, to_s); }
};

// Pulses ordered by start time.
class PulseTrack {
 public:
  void Add(const Pulse& pulse) { pulses_.push_back(pulse); }

  float Sum(double t_s) const {
    float sum = 0;
    for (const Pulse& p : pulses_) sum += p.At(t_s);
    return sum;
  }
  float Max(double t_s) const {
    float max = 0;
    for (const Pulse& p : pulses_) max = std::max(max, p.At(t_s));
    return max;
  }
  void DropBefore(double t_s) {
    while (!pulses_.empty() && pulses_.front().to_s < t_s) pulses_.pop_front();
  }

 private:
  std::deque<Pulse> pulses_;
};

// A value that moves from one resting value to the next.
class GlideTrack {
 public:
  // Moves to `value` from `at_s` on, within `ramp_s`. `at_s` must not decrease.
  void MoveTo(double at_s, double ramp_s, float value) { moves_.push_back({at_s, ramp_s, value}); }
  float At(double t_s) const {
    float value = before_;
    for (const Move& m : moves_) {
      if (m.at_s > t_s) break;
      value += (m.value - value) * SoftRamp(t_s, m.at_s, m.at_s + m.ramp_s);
    }
    return value;
  }
  void DropBefore(double t_s) {
    while (!moves_.empty() && moves_.front().at_s + moves_.front().ramp_s < t_s) {
      before_ = moves_.front().value;
      moves_.pop_front();
    }
  }

 private:
  struct Move {
    double at_s, ramp_s;
    float value;
  };
  std::deque<Move> moves_;
  float before_ = 0;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_PULSE_TRACK_H_
