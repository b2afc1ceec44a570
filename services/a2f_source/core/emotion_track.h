// The emotion of a face over time, from what a caller gives with the sound.
//
// A caller gives emotions that hold from a time on. Of these the strongest few count, by the
// strength of what is given and that of all emotion; two smoothings in a row ease the changes.
// Nothing is heard in the voice itself: where ACE blends what is given with what its model hears,
// neutral is heard here.
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

// In ACE's order, which is that of the alphabet.
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
  bool use_given = true;        // without it the given ones are reported, and do nothing
  float given_strength = 0.5f;  // against what is heard, which is neutral
  float strength = 0.6f;        // of all emotion
  int most = 3;                 // emotions at once, the strongest ones
  // What a frame keeps of the one before: 0 is no smoothing, with 1 nothing ever changes.
  float keep = 0.7f;
  // A change is done to 95 % after so long.
  float transition_s = 0.5f;
  Emotions beginning{};  // what the smoothing begins from
};

struct EmotionKey {
  double time_s = 0;
  Emotions emotions{};
};

// Times do not go back. One thread.
class EmotionTrack {
 public:
  explicit EmotionTrack(const EmotionSettings& settings);

  // What holds from a time on. One that is late holds at once, unless a later one does already.
  void Add(const EmotionKey& key);
  // That were added, and are of times to come.
  size_t waiting() const { return keys_.size(); }

  // The emotions at t, `step_s` after the time that was asked for before.
  const Emotions& At(double t_s, double step_s);
  // Those that came to hold with that.
  const std::vector<EmotionKey>& begun() const { return begun_; }

 private:
  Emotions Target() const;

  const EmotionSettings settings_;
  std::multimap<double, Emotions> keys_;
  std::vector<EmotionKey> begun_;
  EmotionKey held_{.time_s = -std::numeric_limits<double>::infinity(), .emotions = {}};
  Emotions blended_, shown_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_EMOTION_TRACK_H_
