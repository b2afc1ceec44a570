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

const Emotions& EmotionTrack::At(double t_s, double step_s) {
  begun_.clear();
  while (!keys_.empty() && keys_.begin()->first <= t_s) {
    const EmotionKey key{keys_.begin()->first, keys_.begin()->second};
    keys_.erase(keys_.begin());
    begun_.push_back(key);
    if (key.time_s >= held_.time_s) held_ = key;
  }
  Approach(Target(), 1 - settings_.keep, blended_);
  const double share = 1 - std::exp(-3 * step_s / static_cast<double>(settings_.transition_s));
  Approach(blended_, static_cast<float>(share), shown_);
  return shown_;
}

Emotions EmotionTrack::Target() const {
  if (!settings_.use_given) return {};
  Emotions strongest = held_.emotions;
  std::sort(strongest.begin(), strongest.end(), std::greater<>());
  int left = std::min(settings_.most, static_cast<int>(kEmotions));
  const float least = strongest[static_cast<size_t>(left - 1)];
  Emotions target{};
  for (size_t i = 0; i < kEmotions; ++i) {
    if (held_.emotions[i] == 0 || held_.emotions[i] < least || left == 0) continue;
    target[i] = held_.emotions[i];
    --left;
  }
  return Scaled(target, settings_.given_strength * settings_.strength);
}

}  // namespace posewire::a2f_source
