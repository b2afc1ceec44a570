#include "libs/graph/eye_contact.h"

#include <algorithm>
#include <cmath>

namespace posewire::graph {
namespace {

using skel::kDeg;

// Duration of a pause if none is set, and the longest time that the eyes lead.
constexpr double kUsualPause_s = 1.2;
constexpr float kLongestLead_s = 3, kLedEnough_s = 0.7f;

float Spread(double mean_s, bool natural, Random& rng) {
  const auto mean = static_cast<float>(mean_s);
  return natural ? mean * (0.4f + 0.6f * (rng.Uniform() + rng.Uniform())) : mean;
}

}  // namespace

void EyeContact::StartPause(const EyeContactSettings& settings, Random& rng) {
  pausing_ = true;
  left_s_ = Spread(settings.pause_s > 0 ? settings.pause_s : kUsualPause_s, settings.natural, rng);
  // Mostly to a side and down, as people do when they think or yield.
  const float side = rng.Uniform() < 0.5f ? -1.0f : 1.0f;
  aside_ = {side * rng.Uniform(9, 17) * kDeg, rng.Uniform(-8, 3) * kDeg};
}

void EyeContact::StepBack(const EyeContactSettings& settings, float dt_s, bool looked_at, bool led,
                          Random& rng) {
  using LookedBack = EyeContactSettings::LookedBack;
  if (leading_) {
    left_s_ -= dt_s;
    led_s_ = led ? led_s_ + dt_s : 0;
    if (left_s_ > 0 && led_s_ < kLedEnough_s) return;
    leading_ = false;
    back_s_ = 0;
    left_s_ = Spread(settings.hold_s, settings.natural, rng);
    return;
  }
  back_s_ = looked_at && !pausing_ ? back_s_ + dt_s : 0;
  if (back_s_ < static_cast<float>(settings.look_back_s)) return;
  switch (settings.looked_back) {
    case LookedBack::kHold:
      // Contact does not end while it is returned.
      left_s_ = std::max(left_s_, 0.3f);
      return;
    case LookedBack::kPause:
      StartPause(settings, rng);
      back_s_ = 0;
      return;
    case LookedBack::kLead:
      leading_ = true;
      left_s_ = kLongestLead_s, led_s_ = 0;
      return;
  }
}

void EyeContact::Step(const EyeContactSettings& settings, double dt_s, bool looked_at, bool led,
                      Random& rng) {
  const auto dt = static_cast<float>(std::min(dt_s, 0.5));
  if (!started_) left_s_ = Spread(settings.hold_s, settings.natural, rng);
  started_ = true;
  if (settings.look_back_s > 0) StepBack(settings, dt, looked_at, led, rng);
  if (!leading_ && (settings.hold_s > 0 || pausing_)) {
    left_s_ -= dt;
    if (left_s_ <= 0 && pausing_) {
      pausing_ = false;
      left_s_ = Spread(settings.hold_s, settings.natural, rng);
    } else if (left_s_ <= 0 && settings.pause_s > 0) {
      StartPause(settings, rng);
    }
  }
  if (settings.darts_deg <= 0) return;
  dart_left_s_ -= dt;
  if (dart_left_s_ > 0) return;
  dart_left_s_ = rng.Uniform(0.25f, 1.3f);
  const auto reach = static_cast<float>(settings.darts_deg) * kDeg * std::sqrt(rng.Uniform());
  const float way = rng.Uniform(0, 6.2831853f);
  // Eyes move further across a face than up and down it.
  dart_ = {reach * std::cos(way), 0.7f * reach * std::sin(way)};
}

}  // namespace posewire::graph
