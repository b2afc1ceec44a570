#include "libs/graph/gaze_turns.h"

#include <algorithm>
#include <cstddef>

namespace posewire::graph {
namespace {

constexpr float kFace_s = 2.95f, kThing_s = 1;
// A target that suddenly moves faster than the first is noticed from the corner of the eye; below
// the second it counts as still. Waving hands move at 1 to 2 m/s, swaying heads at 0.1.
constexpr float kQuick_m_s = 0.7f, kStill_m_s = 0.25f;
// Duration of a glance, minimum time between glances, and minimum time of a gaze before one.
constexpr float kGlance_s = 0.8f, kBetweenGlances_s = 5, kLeastRest_s = 0.5f;

}  // namespace

// Draws among the candidates that do not have the turn, in proportion to their weights.
int GazeTurns::Draw(absl::Span<const GazeCandidate> candidates, Random& rng) const {
  float sum = 0;
  int count = 0, last = -1;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (static_cast<int>(i) == turn_ || candidates[i].weight <= 0) continue;
    sum += candidates[i].weight;
    ++count;
    last = static_cast<int>(i);
  }
  if (count < 2) return last;
  float at = rng.Uniform() * sum;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (static_cast<int>(i) == turn_ || candidates[i].weight <= 0) continue;
    at -= candidates[i].weight;
    if (at < 0) return static_cast<int>(i);
  }
  return last;
}

void GazeTurns::GoTo(absl::Span<const GazeCandidate> candidates, int turn, Random& rng) {
  const auto next = static_cast<size_t>(turn);
  float weights = 0;
  for (const GazeCandidate& c : candidates) weights += std::max(c.weight, 0.0f);
  turn_ = turn;
  back_ = -1;
  rested_s_ = 0;
  // With two candidates, the draw cannot decide who is looked at for longer, so the duration of the
  // gaze does.
  const float share = candidates[next].weight / weights;
  const float mean =
      (candidates[next].face ? kFace_s : kThing_s) * std::clamp(2 * share, 0.3f, 2.0f);
  left_s_ = mean * (0.5f + 0.5f * (rng.Uniform() + rng.Uniform()));
}

bool GazeTurns::Glance(absl::Span<GazeCandidate> candidates, float dt_s, bool others, Random& rng) {
  no_glance_s_ = std::max(no_glance_s_ - dt_s, 0.0f);
  int moved = -1;
  for (size_t i = 0; i < candidates.size(); ++i) {
    GazeCandidate& c = candidates[i];
    const bool quick = c.speed_m_s > (c.was_quick ? kStill_m_s : kQuick_m_s);
    if (quick && !c.was_quick && c.weight > 0 && static_cast<int>(i) != turn_) {
      moved = static_cast<int>(i);
    }
    c.was_quick = quick;
  }
  if (!others || moved < 0 || no_glance_s_ > 0 || rested_s_ < kLeastRest_s) return false;
  const int back = turn_;
  GoTo(candidates, moved, rng);
  back_ = back;
  left_s_ = kGlance_s;
  no_glance_s_ = kBetweenGlances_s;
  return true;
}

int GazeTurns::Step(absl::Span<GazeCandidate> candidates, float dt_s, Random& rng) {
  const auto there = [&](int i) { return i >= 0 && candidates[static_cast<size_t>(i)].weight > 0; };
  int count = 0, only = -1;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].weight <= 0) continue;
    ++count;
    only = static_cast<int>(i);
  }
  if (count <= 1) {
    // A single candidate is looked at until another appears.
    if (count == 1) turn_ = only;
    left_s_ = 0;
    rested_s_ += dt_s;
    for (GazeCandidate& c : candidates) c.was_quick = c.speed_m_s > kQuick_m_s;
    return turn_;
  }
  if (Glance(candidates, dt_s, there(turn_), rng)) return turn_;
  left_s_ -= dt_s;
  rested_s_ += dt_s;
  if (there(turn_) && left_s_ > 0) return turn_;
  if (there(turn_) && rested_s_ < kLeastRest_s) return turn_;
  GoTo(candidates, there(turn_) && there(back_) ? back_ : Draw(candidates, rng), rng);
  return turn_;
}

}  // namespace posewire::graph
