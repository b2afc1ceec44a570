// A spoken piece on the time line of its request.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_PHRASE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_PHRASE_H_

#include <vector>

#include "services/a2f_source/core/speech_engine.h"
#include "services/a2f_source/core/speech_text.h"

namespace posewire::a2f_source {

// All times in seconds from the request's start.
struct SayPhrase {
  double start_s = 0;  // of its sound, silence included
  double end_s = 0;
  double speech_start_s = 0;  // of its first and last word
  double speech_end_s = 0;
  SpeechEnding ending = SpeechEnding::kStatement;
  std::vector<SpeechWord> words;
};

// Moves a piece to `start_s`.
SayPhrase PlacePhrase(const SpeechPiece& piece, SpeechEnding ending, double start_s);

// "no", "never", "don't" and the like.
bool IsNegation(absl::string_view word);
// "what", "who", "why" and the like.
bool IsQuestionWord(absl::string_view word);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_PHRASE_H_
