#include "libs/graph/idle_breath.h"

#include <algorithm>

#include "libs/graph/small_math.h"

namespace posewire::graph {
namespace {

// With less air left than this, a pause is used to breathe in.
constexpr float kLow = 0.55f;
// The start of a breath is smoothed over this time.
constexpr float kSoft_s = 0.1f;
constexpr float kSighs = 0.07f;

}  // namespace

IdleBreath::IdleBreath(Random& rng) : random_(rng.Next() | uint64_t{1} << 33) {
  Go(kOut, 0, random_.Uniform(1.6f, 2.6f));
  from_ = at_ = shown_ = random_.Uniform();
}

void IdleBreath::Go(Phase phase, float to, float length_s) {
  phase_ = phase;
  from_ = at_, to_ = to, length_s_ = length_s, t_s_ = 0;
}

void IdleBreath::Go(Phase phase, Range to, Range length_s) {
  // In this order: the order in which a compiler evaluates arguments is unspecified.
  const float length = random_.Uniform(length_s.least, length_s.most);
  Go(phase, random_.Uniform(to.least, to.most), length);
}

void IdleBreath::Next(bool speaks) {
  switch (phase_) {
    case kIn:
      // Speech uses the air slowly.
      return Go(kOut, kExhaled, speaks || soon_ ? kAlongWords_s : Range{1.4f, 3.1f});
    case kOut:
      // A speaker breathes in when a phrase ends, or when no air is left.
      return Go(kRest, at_, speaks ? random_.Uniform(1, 2.5f) : random_.Uniform(0, 1.4f));
    case kRest:
      if (speaks) return Go(kIn, Range{0.7f, 1}, Range{0.45f, 0.65f});
      if (random_.Uniform() < kSighs) return Go(kIn, 1.7f, 2.1f);
      return Go(kIn, Range{0.7f, 1.15f}, Range{0.9f, 1.8f});
  }
}

void IdleBreath::Step(float dt_s, bool speaks, bool soon) {
  const bool pauses = spoke_ && !speaks, begins = speaks && !spoke_;
  const bool about_to = soon && !soon_ && !speaks;
  spoke_ = speaks, soon_ = soon;
  if ((pauses || about_to) && phase_ != kIn && at_ < kLow) {
    Go(kIn, Range{0.8f, 1.2f}, Range{0.4f, 0.6f});
  }
  // The remaining air has to last.
  if (begins && phase_ != kIn) Go(kOut, kExhaled, kAlongWords_s);
  t_s_ += dt_s;
  const float u = std::min(t_s_ / length_s_, 1.0f);
  at_ = from_ + (to_ - from_) * Smoothstep(u);
  if (u >= 1) Next(speaks);
  shown_ += (at_ - shown_) * Share(dt_s, kSoft_s);
}

}  // namespace posewire::graph
