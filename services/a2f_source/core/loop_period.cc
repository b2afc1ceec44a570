#include "services/a2f_source/core/loop_period.h"

#include <algorithm>
#include <cmath>

#include "libs/wire/message.h"

namespace posewire::a2f_source {
namespace {

// The step of a clip with a single key.
constexpr double kDefaultStep_s = 1.0 / 30;
// Audio may end this much after a step without making the pass a step longer, as a share of a step.
constexpr double kSlack = 0.03;

}  // namespace

void LoopPeriod::Note(const wire::KeyBlock& keys, Track& track) {
  for (const double time_code_s : keys.time_codes_s) {
    if (track.keys == 0) {
      track.first_s = time_code_s;
    } else if (time_code_s > track.last_s) {
      track.smallest_step_s = std::min(track.smallest_step_s, time_code_s - track.last_s);
    }
    track.last_s = time_code_s;
    ++track.keys;
  }
}

void LoopPeriod::Observe(const wire::DataChunk& data) {
  const wire::ChunkTimes times = wire::TimesOf(data, audio_rate_hz_);
  first_s_ = std::min(first_s_, times.earliest_s);
  last_s_ = std::max(last_s_, times.latest_s);
  for (int t = 0; t < wire::kPoseTracks; ++t) Note(data.pose[t], tracks_[t]);
  for (int t = 0; t < wire::kCameraTracks; ++t) {
    Note(data.camera[t], tracks_[wire::kPoseTracks + t]);
  }
}

double LoopPeriod::seconds() const {
  if (last_s_ < first_s_) return 0;
  const Track* densest =
      std::max_element(std::begin(tracks_), std::end(tracks_),
                       [](const Track& a, const Track& b) { return a.keys < b.keys; });
  if (densest->keys == 0) return last_s_ - first_s_;  // audio only
  double step_s = kDefaultStep_s;
  bool even = true;
  if (densest->keys > 1) {
    // The step averaged over the whole length is more exact than any one difference of two time
    // codes.
    const double length_s = densest->last_s - densest->first_s;
    const double steps = std::round(length_s / densest->smallest_step_s);
    even =
        std::abs(length_s / densest->smallest_step_s - steps) < 0.01 * std::max(1.0, steps / 100);
    step_s = even ? length_s / steps : densest->smallest_step_s;
  }
  double last_key_s = -std::numeric_limits<double>::infinity();
  for (const Track& track : tracks_) {
    if (track.keys > 0) last_key_s = std::max(last_key_s, track.last_s);
  }
  const double length_s = std::max(last_s_, last_key_s + step_s) - first_s_;
  return even ? std::ceil(length_s / step_s - kSlack) * step_s : length_s;
}

}  // namespace posewire::a2f_source
