// What each gesture is made of. Each function writes one gesture into an empty script and returns
// its length in seconds; those of loops return their period.
#ifndef POSEWIRE_LIBS_GESTURE_REPERTOIRE_H_
#define POSEWIRE_LIBS_GESTURE_REPERTOIRE_H_

#include "absl/types/span.h"
#include "libs/gesture/cycle.h"
#include "libs/gesture/script.h"

namespace posewire::gesture {

struct Recipe {
  const char* name;
  double (*write)(Script&);
};

struct CycleRecipe {
  const char* name;
  double (*write)(Cycle&);
};

// Body gestures.
absl::Span<const Recipe> HeadRecipes();     // nod, shake, listen, think, bow
absl::Span<const Recipe> SignRecipes();     // wave, thumbs_up, count_1..5
absl::Span<const Recipe> HandRecipes();     // count_6..9, finger_wag, money, thumbs_down, ...
absl::Span<const Recipe> PointRecipes();    // point_self, _you, _left, _right, _down
absl::Span<const Recipe> AskRecipes();      // point_backward, please_repeat, dont_understand, ...
absl::Span<const Recipe> GreetRecipes();    // goodbye, welcome, come_here, success, ...
absl::Span<const Recipe> MimeRecipes();     // robot, driving_mime, pulling_mime, ...
absl::Span<const Recipe> PlayRecipes();     // toss, chefs_kiss, finger_guns, ouch, ...
absl::Span<const Recipe> FeelingRecipes();  // stupid, attraction
absl::Span<const Recipe> SpeechRecipes();   // shrug, present, open_question, talk_beat_1..3, ...

// Facial gestures.
absl::Span<const Recipe> EmotionRecipes();  // smile, surprise, taunt, ...
absl::Span<const Recipe> FaceRecipes();     // wink, eye_roll, yawn, ...

absl::Span<const CycleRecipe> PostureRecipes();  // posture_talking, _listening, ...
absl::Span<const CycleRecipe> LayerRecipes();    // shiver, fidget

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_REPERTOIRE_H_
