// Finds when each word of a written text is said.
//
// A voice does not always say what is written: "2026" takes three words, "e.g." two. Words that are
// the same in both are matched in order (a longest common subsequence). The written words between
// two matches share the time of what was said between them, in proportion to their letters.
#ifndef POSEWIRE_LIBS_SPEECH_PLACE_WORDS_H_
#define POSEWIRE_LIBS_SPEECH_PLACE_WORDS_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/speech/voice.h"

namespace posewire::speech {

// A word of the text with its punctuation.
struct PlacedWord {
  size_t begin = 0, end = 0;      // bytes of the text: the first, and the one after the last
  double start_s = 0, end_s = 0;  // as of Word
};

// Returns the words of a UTF-8 text in order. White space separates them, and each character of
// Chinese or Japanese is a word. A run without a letter or digit belongs to the word before it.
// `said` is in order of time; if it is empty, so is the result. Start times never decrease, and are
// within those of `said`.
//
// Takes time and memory in proportion to the words of `text` times those of `said`. Beyond a
// million of these, words are not matched, and all share the time of all.
std::vector<PlacedWord> PlaceWords(absl::string_view text, absl::Span<const Word> said);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_PLACE_WORDS_H_
