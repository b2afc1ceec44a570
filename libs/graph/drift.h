// A slow random motion that never repeats: random values at regular intervals, interpolated
// smoothly.
#ifndef POSEWIRE_LIBS_GRAPH_DRIFT_H_
#define POSEWIRE_LIBS_GRAPH_DRIFT_H_

#include <array>

#include "libs/random/random.h"

namespace posewire::graph {

// Values are within -1.25..1.25, mostly well inside -1..1; the slope is continuous (Catmull-Rom).
class Drift {
 public:
  Drift() = default;
  Drift(float rate_hz, Random& rng) : rate_hz_(rate_hz), phase_(rng.Uniform()) {
    for (float& k : knots_) k = rng.Uniform(-1, 1);
  }

  void Step(float dt_s, Random& rng) {
    phase_ += dt_s * rate_hz_;
    while (phase_ >= 1) {
      phase_ -= 1;
      knots_ = {knots_[1], knots_[2], knots_[3], rng.Uniform(-1, 1)};
    }
  }
  float value() const {
    const float t = phase_, a = knots_[0], b = knots_[1], c = knots_[2], d = knots_[3];
    return b + 0.5f * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
  }

 private:
  float rate_hz_ = 1, phase_ = 0;
  std::array<float, 4> knots_{};
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_DRIFT_H_
