// One animated number: keys with eased curves between them.
//
// Between keys is a cubic Hermite curve. Its slope is zero at the first and last key, at a plateau
// and at a turning point, so the curve never overshoots its keys (Fritsch and Carlson 1980). Before
// the first key and after the last, the value is constant.
#ifndef POSEWIRE_LIBS_GESTURE_CHANNEL_H_
#define POSEWIRE_LIBS_GESTURE_CHANNEL_H_

#include <vector>

#include "absl/types/span.h"

namespace posewire::gesture {

// The style of a move: fractions of its distance by which it first goes back and finally
// overshoots.
struct MoveStyle {
  float anticipate = 0;
  float overshoot = 0;
  double settle_s = 0.2;  // from the overshoot to the target
};

class Channel {
 public:
  explicit Channel(float start = 0) : start_(start) {}

  // Adds a key. Times must rise; a key at or before the last one replaces it.
  void Key(double t_s, float value);
  // Moves from the value at t0 to `target` at t1. With overshoot, the last key is at t1 + settle_s.
  void Move(double t0_s, double t1_s, float target, const MoveStyle& style);

  bool moves() const { return !keys_.empty(); }
  float last() const { return keys_.empty() ? start_ : keys_.back().value; }

  // Fills `out` with the curve at i / rate - delay, smoothed over about two frames so that the
  // acceleration has no steps.
  void Render(double rate_hz, double delay_s, absl::Span<float> out) const;

 private:
  struct Point {
    double t;
    float value;
  };
  float start_;
  std::vector<Point> keys_;
};

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_CHANNEL_H_
