// A spoken piece on its request's time line.
#ifndef POSEWIRE_LIBS_SPEECH_PHRASE_H_
#define POSEWIRE_LIBS_SPEECH_PHRASE_H_

#include <vector>

#include "libs/speech/speech_text.h"
#include "libs/speech/voice.h"

namespace posewire::speech {

// All times in seconds from the request's start.
struct Phrase {
  double start_s = 0;  // of its audio, including silence
  double end_s = 0;
  double speech_start_s = 0;  // of its first and last word
  double speech_end_s = 0;
  SpeechEnding ending = SpeechEnding::kStatement;
  bool begins_paragraph = false;  // and is not the beginning of the whole text
  std::vector<Word> words;
};

// Moves a piece to `start_s`.
Phrase PlacePhrase(const SpeechPiece& piece, SpeechEnding ending, double start_s);

// Returns true for "no", "never", "don't" and the like.
bool IsNegation(absl::string_view word);
// Returns true for "what", "who", "why" and the like.
bool IsQuestionWord(absl::string_view word);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_PHRASE_H_
