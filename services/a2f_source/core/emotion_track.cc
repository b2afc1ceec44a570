#include "services/a2f_source/core/emotion_track.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace posewire::a2f_source {
namespace {

constexpr absl::string_view kEmotionNames[kEmotions] = {
    "amazement", "anger", "cheekiness",  "disgust", "fear",
    "grief",     "joy",   "outofbreath", "pain",    "sadness"};

Emotions Scaled(Emotions emotions, float by) {
  for (float& value : emotions) value *= by;
  return emotions;
}

void Approach(const Emotions& target, float share, Emotions& value) {
  for (size_t i = 0; i < kEmotions; ++i) value[i] += (target[i] - value[i]) * share;
}

}  // namespace

absl::Span<const absl::string_view> EmotionNames() { return kEmotionNames; }

EmotionTrack::EmotionTrack(const EmotionSettings& settings)
    : settings_(settings),
      blended_(Scaled(settings.beginning, settings.strength)),
      shown_(blended_) {}

void EmotionTrack::Add(const EmotionKey& key) { keys_.emplace(key.time_s, key.emotions); }

const Emotions& EmotionTrack::At(double t_s, double step_s, const Emotions& heard) {
  begun_.clear();
  while (!keys_.empty() && keys_.begin()->first <= t_s) {
    const EmotionKey key{keys_.begin()->first, keys_.begin()->second};
    keys_.erase(keys_.begin());
    begun_.push_back(key);
    if (key.time_s >= held_.time_s) held_ = key;
  }
  Approach(Target(heard), 1 - settings_.keep, blended_);
  const double share = 1 - std::exp(-3 * step_s / static_cast<double>(settings_.transition_s));
  Approach(blended_, static_cast<float>(share), shown_);
  return shown_;
}

Emotions EmotionTrack::Target(const Emotions& heard) const {
  Emotions all{};
  const float given = settings_.use_given ? settings_.given_strength : 0;
  for (size_t i = 0; i < kEmotions; ++i) {
    all[i] = given * held_.emotions[i] + (1 - given) * heard[i];
  }
  Emotions strongest = all;
  std::sort(strongest.begin(), strongest.end(), std::greater<>());
  int left = std::min(settings_.most, static_cast<int>(kEmotions));
  const float least = strongest[static_cast<size_t>(left - 1)];
  Emotions target{};
  for (size_t i = 0; i < kEmotions; ++i) {
    if (all[i] == 0 || all[i] < least || left == 0) continue;
    target[i] = all[i];
    --left;
  }
  return Scaled(target, settings_.strength);
}

}  // namespace posewire::a2f_source
