#include "libs/graph/idle_feet.h"

#include <algorithm>
#include <cmath>

#include "libs/graph/small_math.h"

namespace posewire::graph {
namespace {

using skel::kPi;
using skel::Vec3;

// Fraction of the weight that must be on the other foot.
constexpr float kFreeFoot = 0.4f;
constexpr float kLift_m = 0.022f, kHeel_rad = 0.3f, kMostToeOut_rad = 0.09f;
// Fractions of a step between which the foot is above the ground.
constexpr float kLifted = 0.2f, kLanded = 0.85f;

}  // namespace

IdleFeet::IdleFeet(Random& rng) : random_(rng.Next() | uint64_t{1} << 34) {
  wait_s_ = random_.Uniform(6, 14);
}

bool IdleFeet::Step(float dt_s, float weight, bool settled) {
  if (steps_ < 0) {
    wait_s_ -= dt_s;
    if (wait_s_ > 0 || !settled || std::fabs(weight) < kFreeFoot) return false;
    steps_ = weight < 0 ? 0 : 1;
    const float out = steps_ == 0 ? 1.0f : -1.0f;
    from_ = feet_[static_cast<size_t>(steps_)];
    to_ = {};
    // Chooses a visibly different place, rather out and to the front than in and back.
    for (int tries = 0; tries < 4; ++tries) {
      to_.by = {out * random_.Uniform(-0.008f, 0.026f), 0, random_.Uniform(-0.02f, 0.03f)};
      if (Length(to_.by - from_.by) > 0.02f) break;
    }
    to_.toe_out = random_.Uniform(0, kMostToeOut_rad);
    length_s_ = random_.Uniform(0.65f, 0.9f);
    t_ = 0;
    wait_s_ = random_.Uniform(9, 24);
    return true;
  }
  gesture::FootMove& foot = feet_[static_cast<size_t>(steps_)];
  t_ = std::min(t_ + dt_s / length_s_, 1.0f);
  const float over = LeastJerk(std::clamp((t_ - kLifted) / (kLanded - kLifted), 0.0f, 1.0f));
  foot.by = Lerp(from_.by, to_.by, over);
  foot.toe_out = from_.toe_out + (to_.toe_out - from_.toe_out) * over;
  foot.by.y = kLift_m * Bump((t_ - 0.1f) / 0.85f);
  foot.heel = kHeel_rad * Bump(t_ / 0.75f);
  if (t_ >= 1) steps_ = -1;
  return false;
}

}  // namespace posewire::graph
