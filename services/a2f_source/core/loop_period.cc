#include "services/a2f_source/core/loop_period.h"

#include <algorithm>
#include <cmath>

#include "libs/client/message_times.h"

namespace posewire::a2f_source {
namespace {

// Of a clip with a single key.
constexpr double kDefaultStep_s = 1.0 / 30;
// Audio that ends so little after a step does not make the pass a step longer: a share of a step.
constexpr double kSlack = 0.03;

}  // namespace

template <typename Keys>
void LoopPeriod::Note(const Keys& keys, Track& track) {
  for (const auto& key : keys) {
    const double code_s = key.time_code();
    if (track.keys == 0) {
      track.first_s = code_s;
    } else if (code_s > track.last_s) {
      track.smallest_step_s = std::min(track.smallest_step_s, code_s - track.last_s);
    }
    track.last_s = code_s;
    ++track.keys;
  }
}

void LoopPeriod::Observe(const nvidia_ace::animation_data::v1::AnimationData& data) {
  const client::MessageTimes times = client::TimesOf(data, audio_rate_hz_);
  first_s_ = std::min(first_s_, times.earliest_s);
  last_s_ = std::max(last_s_, times.latest_s);
  const auto& skel = data.skel_animation();
  Note(skel.blend_shape_weights(), tracks_[0]);
  Note(skel.translations(), tracks_[1]);
  Note(skel.rotations(), tracks_[2]);
  Note(skel.scales(), tracks_[3]);
  const auto& camera = data.camera();
  Note(camera.position(), tracks_[4]);
  Note(camera.rotation(), tracks_[5]);
  Note(camera.focal_length(), tracks_[6]);
  Note(camera.focus_distance(), tracks_[7]);
}

double LoopPeriod::seconds() const {
  if (last_s_ < first_s_) return 0;
  const Track* densest =
      std::max_element(std::begin(tracks_), std::end(tracks_),
                       [](const Track& a, const Track& b) { return a.keys < b.keys; });
  if (densest->keys == 0) return last_s_ - first_s_;  // audio alone
  double step_s = kDefaultStep_s;
  bool even = true;
  if (densest->keys > 1) {
    // The step over the whole length is more exact than any one difference of two codes.
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
