// Which gestures the words of a phrase call for, and when.
//
// Words with a meaning that hands can show come first: greetings, a no, numbers, "but", "this",
// "you" and "I", items of a list, and the last accent of a question. Accents fill what is left.
// What would follow another too closely is left out, so that a hand has time to get ready and to
// rest. A new topic, which a paragraph or a word such as "now" or "anyway" opens, is told besides:
// that is where people shift their posture (Cassell, Nakano, Bickmore, Sidner and Rich, "Non-verbal
// cues for discourse structure", ACL 2001).
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

// One thread; the same seed and phrases give the same gestures. Phrases come in order.
class GesturePlan {
 public:
  // How long before its stroke a gesture is announced, of text and of sound.
  static constexpr double kTextAhead_s = 1.5, kAhead_s = 0.8;
  static constexpr double kApart_s = 1.25;  // between strokes, at least

  explicit GesturePlan(uint64_t seed) : random_(seed) {}

  void Add(const speech::Phrase& phrase);
  // The next gesture to announce at `t_s`, with its times counted from there. Times do not go back.
  std::optional<wire::SpeechGesture> Take(double t_s);

 private:
  Random random_;
  double last_s_ = -10;                     // the last stroke
  bool sentence_over_ = false;              // the last phrase ended one
  std::deque<wire::SpeechGesture> coming_;  // times from the request's start
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_GESTURES_H_
