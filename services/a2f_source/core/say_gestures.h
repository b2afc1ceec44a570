// Chooses the gestures for the words of a phrase, and their times.
//
// Words with a meaning that hands can show come first: greetings, a no, numbers, "but", "this",
// "you" and "I", items of a list, and the last accent of a question. Accents fill the rest. A
// gesture that would follow another too closely is dropped, so that a hand has time to prepare and
// to rest. A new topic, which begins with a paragraph or a word such as "now" or "anyway", is
// announced too, because people shift their posture there (Cassell, Nakano, Bickmore, Sidner and
// Rich, "Non-verbal cues for discourse structure", ACL 2001).
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_GESTURES_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_GESTURES_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "libs/random/random.h"
#include "libs/speech/phrase.h"
#include "libs/wire/speech_gesture.h"

namespace posewire::a2f_source {

// The same seed and phrases give the same gestures. Add phrases in order. One thread.
class GesturePlan {
 public:
  // How long before its stroke a gesture is announced, for text and for audio.
  static constexpr double kTextAhead_s = 1.5, kAhead_s = 0.8;
  static constexpr double kApart_s = 1.25;  // minimum time between strokes

  explicit GesturePlan(uint64_t seed) : random_(seed) {}

  void Add(const speech::Phrase& phrase);
  // Returns the next gesture to announce at `t_s`, with its times relative to t_s. Times must not
  // decrease.
  std::optional<wire::SpeechGesture> Take(double t_s);

 private:
  Random random_;
  double last_s_ = -10;                     // time of the last stroke
  bool sentence_over_ = false;              // the last phrase ended a sentence
  std::deque<wire::SpeechGesture> coming_;  // times relative to the request's start
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_GESTURES_H_
