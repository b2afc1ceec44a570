// The emotions of a face over time, computed from those that a client sends with the audio and from
// those that are heard in it.
//
// A client sends emotions that apply from a time on. These are blended with the heard ones by their
// given strength; the strongest few are used, scaled by the strength of all emotion. Two smoothing
// filters in a row ease the changes.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_EMOTION_TRACK_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_EMOTION_TRACK_H_

#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::a2f_source {

// ACE's order, which is alphabetical.
enum Emotion : size_t {
  kAmazement,
  kAnger,
  kCheekiness,
  kDisgust,
  kFear,
  kGrief,
  kJoy,
  kOutOfBreath,
  kPain,
  kSadness,
  kEmotions
};
// Strengths, 0 to 1.
using Emotions = std::array<float, kEmotions>;
absl::Span<const absl::string_view> EmotionNames();

// ACE's defaults.
struct EmotionSettings {
  bool use_given = true;        // if false, given emotions are reported but have no effect
  float given_strength = 0.5f;  // share of the given against the heard ones
  float heard_contrast = 1;     // see EmotionsOf
  float strength = 0.6f;        // of all emotions
  int most = 3;                 // maximum number of emotions at once, the strongest ones
  // Share of the previous frame that is kept: 0 is no smoothing, and with 1 nothing ever changes.
  float keep = 0.7f;
  // Time in which 95 % of a change is reached.
  float transition_s = 0.5f;
  Emotions beginning{};  // where the smoothing begins
};

struct EmotionKey {
  double time_s = 0;
  Emotions emotions{};
};

// Times must not decrease. One thread.
class EmotionTrack {
 public:
  explicit EmotionTrack(const EmotionSettings& settings);

  // Adds emotions that apply from a time on. If that time has passed, they apply at once, unless
  // later ones already do.
  void Add(const EmotionKey& key);
  // Number of added keys whose time has not come yet.
  size_t waiting() const { return keys_.size(); }

  // Returns the emotions at t, `step_s` after the time of the previous call. `heard`: those heard
  // in the voice at that time.
  const Emotions& At(double t_s, double step_s, const Emotions& heard = {});
  // The keys that began to apply in that call.
  const std::vector<EmotionKey>& begun() const { return begun_; }

 private:
  Emotions Target(const Emotions& heard) const;

  const EmotionSettings settings_;
  std::multimap<double, Emotions> keys_;
  std::vector<EmotionKey> begun_;
  EmotionKey held_{.time_s = -std::numeric_limits<double>::infinity(), .emotions = {}};
  Emotions blended_, shown_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_EMOTION_TRACK_H_
