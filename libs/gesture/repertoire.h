// What each gesture is made of. Each function writes one gesture into an empty script and returns
// its length in seconds.
#ifndef POSEWIRE_LIBS_GESTURE_REPERTOIRE_H_
#define POSEWIRE_LIBS_GESTURE_REPERTOIRE_H_

#include "absl/types/span.h"
#include "libs/gesture/script.h"

namespace posewire::gesture {

struct Recipe {
  const char* name;
  double (*write)(Script&);
};

absl::Span<const Recipe> HeadRecipes();   // nod, shake, listen, think, bow
absl::Span<const Recipe> SignRecipes();   // wave, thumbs_up, count_1..5
absl::Span<const Recipe> PointRecipes();  // point_self, _you, _left, _right, _down
absl::Span<const Recipe>
SpeechRecipes();  // shrug, present, open_question, talk_beat_1..3, idle_shift_1..2

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_REPERTOIRE_H_
