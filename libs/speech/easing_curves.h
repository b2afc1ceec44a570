// Easing curves.
#ifndef POSEWIRE_LIBS_SPEECH_EASING_CURVES_H_
#define POSEWIRE_LIBS_SPEECH_EASING_CURVES_H_

#include <algorithm>

namespace posewire::speech {

// Returns 0 up to `from`, 1 from `to` on, with zero slope at both (cubic). Requires `from` < `to`.
inline float EaseInOut(double t, double from, double to) {
  const double x = std::clamp((t - from) / (to - from), 0.0, 1.0);
  return static_cast<float>(x * x * (3 - 2 * x));
}

// Like EaseInOut, with a straight middle and short rounded ends, and so with the lowest peak speed
// for its length.
inline float SoftRamp(double t, double from, double to) {
  constexpr double kRound = 0.2;  // share of the length of each end
  const double x = std::clamp((t - from) / (to - from), 0.0, 1.0);
  constexpr double kSlope = 1 / (1 - kRound);
  const double e = std::min(x, 1 - x);
  const double y = e < kRound ? kSlope * e * e / (2 * kRound) : kSlope * (e - kRound / 2);
  return static_cast<float>(x < 0.5 ? y : 1 - y);
}

// Rises over [from, top], falls over [top_end, to].
inline float Bump(double t, double from, double top, double top_end, double to) {
  return t < top_end ? SoftRamp(t, from, top) : 1 - SoftRamp(t, top_end, to);
}

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_EASING_CURVES_H_
