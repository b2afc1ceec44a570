// Which gestures a voice calls for whose words nobody knows: on syllables that stand out among
// their neighbours, and none in pauses. Of what words mean, of questions and numbers, sound alone
// tells nothing that hands could show.
//
// A hand needs half a second to get ready. Where the sound is there before it is heard, as of a
// file, gestures are announced 0.8 s ahead and strike on the accent; of a live voice an accent is
// known when it is over, and the stroke comes a third of a second after that.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SOUND_PLAN_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SOUND_PLAN_H_

#include <cstdint>
#include <deque>
#include <optional>

#include "libs/random/random.h"
#include "libs/speech/sound_face.h"
#include "libs/wire/speech_gesture.h"

namespace posewire::a2f_source {

// One thread; the same seed and faces give the same gestures.
class SoundPlan {
 public:
  // How far faces should be heard ahead of those that are sent, where they can be.
  static constexpr double kHearAhead_s = 1.3;

  explicit SoundPlan(uint64_t seed) : random_(seed) {}

  // Faces in order.
  void Hear(const speech::FaceFrame& face);
  // The next gesture to announce at `t_s`, with its times counted from there. Times do not go back.
  std::optional<wire::SpeechGesture> Take(double t_s);

 private:
  bool Outdone(const speech::Syllable& accent) const;
  double EndAfter(double stroke_s) const;

  struct Pause {
    double from_s, to_s;
  };
  Random random_;
  std::deque<speech::Syllable> accents_;
  std::deque<Pause> pauses_;  // of the last seconds; the last one may go on
  double heard_s_ = 0, taken_s_ = -10, last_s_ = -10;
  float arousal_ = 0.5f;
  bool speaking_ = false;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SOUND_PLAN_H_
