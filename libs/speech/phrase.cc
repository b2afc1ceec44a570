#include "libs/speech/phrase.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"

namespace posewire::speech {

Phrase PlacePhrase(const SpeechPiece& piece, SpeechEnding ending, double start_s) {
  Phrase phrase;
  phrase.start_s = start_s;
  phrase.end_s = start_s + piece.duration_s();
  phrase.ending = ending;
  phrase.words = piece.words;
  for (Word& w : phrase.words) {
    w.start_s += start_s;
    w.end_s += start_s;
    w.beat_s += start_s;
  }
  phrase.speech_start_s = phrase.words.empty() ? phrase.start_s : phrase.words.front().start_s;
  phrase.speech_end_s = phrase.words.empty() ? phrase.end_s : phrase.words.back().end_s;
  return phrase;
}

bool IsNegation(absl::string_view word) {
  constexpr absl::string_view kWords[] = {
      "no",    "not",   "never", "nothing", "nobody",  "none",  "nowhere", "neither", "cannot",
      "can't", "won't", "don't", "didn't",  "doesn't", "isn't", "aren't",  "wasn't",  "couldn't"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

bool IsQuestionWord(absl::string_view word) {
  constexpr absl::string_view kWords[] = {"what", "who",   "whom", "whose", "why",
                                          "when", "where", "how",  "which"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

}  // namespace posewire::speech
