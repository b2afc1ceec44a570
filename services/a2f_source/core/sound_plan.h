// Chooses gestures for a voice whose words are unknown: on syllables that stand out from their
// neighbours, and none in pauses. Audio alone does not reveal meaning, questions or numbers that
// hands could show.
//
// A hand needs half a second to prepare. If audio is available before it is heard, as with a file,
// gestures are announced 0.8 s ahead and strike on the accent. In a live voice an accent is known
// only when it is over, and the stroke comes a third of a second after that.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SOUND_PLAN_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SOUND_PLAN_H_

#include <cstdint>
#include <deque>
#include <optional>

#include "libs/random/random.h"
#include "libs/speech/sound_face.h"
#include "libs/wire/speech_gesture.h"

namespace posewire::a2f_source {

// The same seed and faces give the same gestures. One thread.
class SoundPlan {
 public:
  // How far ahead of the faces sent faces should be heard, if possible.
  static constexpr double kHearAhead_s = 1.3;

  explicit SoundPlan(uint64_t seed) : random_(seed) {}

  // Adds a face; call in order.
  void Hear(const speech::FaceFrame& face);
  // Returns the next gesture to announce at `t_s`, with its times relative to t_s. Times must not
  // decrease.
  std::optional<wire::SpeechGesture> Take(double t_s);

 private:
  bool Outdone(const speech::Syllable& accent) const;
  double EndAfter(double stroke_s) const;

  struct Pause {
    double from_s, to_s;
  };
  Random random_;
  std::deque<speech::Syllable> accents_;
  std::deque<Pause> pauses_;  // of the last seconds; the last one may be open
  double heard_s_ = 0, taken_s_ = -10, last_s_ = -10;
  float arousal_ = 0.5f;
  bool speaking_ = false;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SOUND_PLAN_H_
