#include "libs/graph/eyes.h"

#include <algorithm>
#include <cmath>

#include "libs/skel/math.h"

namespace posewire::graph {
namespace {

using skel::kPi;

constexpr float kClose_s = 0.1f, kOpen_s = 0.2f;
// Maximum movement of the gaze in a 30th of a second.
constexpr float kJump = 0.45f;

float Approach(float from, float to, float most) {
  return from + std::clamp(to - from, -most, most);
}

}  // namespace

void Blinker::Step(float dt_s, Random& rng) {
  if (phase_s_ >= 0) {
    phase_s_ += dt_s;
    if (phase_s_ < kClose_s + kOpen_s) return;
    phase_s_ = -1;
    wait_s_ = again_ ? rng.Uniform(0.05f, 0.15f) : rng.Uniform(2, 6);
    again_ = false;
    return;
  }
  wait_s_ -= dt_s;
  if (wait_s_ > 0) return;
  phase_s_ = 0;
  again_ = !again_ && rng.Uniform() < 0.12f;
}

void Blinker::Hint(Random& rng) {
  if (phase_s_ < 0 && wait_s_ < 4 && rng.Uniform() < 0.4f) wait_s_ = 0;
}

float Blinker::value() const {
  if (phase_s_ < 0) return 0;
  if (phase_s_ < kClose_s) return 0.5f - 0.5f * std::cos(kPi * phase_s_ / kClose_s);
  return 0.5f + 0.5f * std::cos(kPi * (phase_s_ - kClose_s) / kOpen_s);
}

void Gaze::Step(float dt_s, Random& rng) {
  jumped_far_ = false;
  wait_s_ -= dt_s;
  if (wait_s_ <= 0) {
    wait_s_ = rng.Uniform(0.3f, 2);
    const float spread = rng.Uniform() < 0.65f ? 0.06f : 0.32f;
    const float x = rng.Uniform(-spread, spread), y = rng.Uniform(-spread, spread) * 0.6f;
    jumped_far_ = std::fabs(x - target_x_) > 0.22f;
    target_x_ = x, target_y_ = y;
  }
  const float most = kJump * dt_s * 30;
  x_ = Approach(x_, target_x_, most);
  y_ = Approach(y_, target_y_, most);
}

}  // namespace posewire::graph
