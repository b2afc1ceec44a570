// One animated number: keys with eased curves between them.
//
// Between keys runs a cubic Hermite curve; its slope is zero at the first and last key, at a
// plateau and at a turning point, so that the curve never passes beyond its keys (Fritsch and
// Carlson 1980). Before the first key and after the last it holds.
#ifndef POSEWIRE_LIBS_GESTURE_CHANNEL_H_
#define POSEWIRE_LIBS_GESTURE_CHANNEL_H_

#include <vector>

#include "absl/types/span.h"

namespace posewire::gesture {

// How a move is dressed: parts of its way that it first goes back and in the end goes beyond.
struct MoveStyle {
  float anticipate = 0;
  float overshoot = 0;
  double settle_s = 0.2;  // from the overshoot to the target
};

class Channel {
 public:
  explicit Channel(float start = 0) : start_(start) {}

  // Times must rise; a key at or before the last one replaces it.
  void Key(double t_s, float value);
  // From the value held at t0 to `target` at t1; the last key is at t1 + settle when it overshoots.
  void Move(double t0_s, double t1_s, float target, const MoveStyle& style);

  bool moves() const { return !keys_.empty(); }
  float last() const { return keys_.empty() ? start_ : keys_.back().value; }

  // Fills `out` with the curve at out_i = i / rate - delay, softened over about two frames so that
  // the acceleration has no steps either.
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
