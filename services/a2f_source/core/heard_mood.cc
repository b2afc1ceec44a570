#include "services/a2f_source/core/heard_mood.h"

#include <algorithm>
#include <cmath>

#include "libs/wire/voice_mood.h"

namespace posewire::a2f_source {
namespace {

constexpr float kSeen = 0.05F;
constexpr double kAgain_s = 2;

}  // namespace

Emotions EmotionsOf(const speech::Mood& mood, float contrast) {
  const float up = std::max(0.0F, mood.arousal), down = std::max(0.0F, -mood.arousal);
  const float good = std::max(0.0F, mood.valence), bad = std::max(0.0F, -mood.valence);
  Emotions emotions{};
  emotions[kAmazement] = up;
  emotions[kJoy] = 2 * good;
  emotions[kAnger] = 3 * bad * up;
  emotions[kSadness] = down * (1 + bad);
  const float most = *std::max_element(emotions.begin(), emotions.end());
  for (float& emotion : emotions) {
    if (emotion <= 0) continue;
    emotion = std::min(1.0F, most * std::pow(emotion / most, contrast));
  }
  return emotions;
}

void MoodAnnouncer::Announce(double time_s, const speech::Mood& mood,
                             std::vector<wire::MetadataEntry>& out) {
  if (std::abs(mood.arousal - told_.arousal) < kSeen &&
      std::abs(mood.valence - told_.valence) < kSeen && time_s < told_s_ + kAgain_s) {
    return;
  }
  told_ = mood;
  told_s_ = time_s;
  out.push_back(wire::ToMetadata(wire::VoiceMood{mood.arousal, mood.valence}));
}

}  // namespace posewire::a2f_source
