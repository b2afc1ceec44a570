// Finds when each word of a written text is spoken.
//
// A voice does not always say what is written: "2026" takes three words, "e.g." two. Equal words
// are matched in order (longest common subsequence). The written words between two matches share
// the time of the words spoken between them, in proportion to their letters.
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
  size_t begin = 0, end = 0;      // positions in the text: the first byte, and one past the last
  double start_s = 0, end_s = 0;  // as in Word
};

// Returns the words of a UTF-8 text in order. They are separated by white space, and each Chinese
// or Japanese character is a word. A run without a letter or digit is part of the word before it.
// `said` must be ordered by time; if it is empty, so is the result. Start times never decrease, and
// are within those of `said`.
//
// Takes time and memory in proportion to the number of words in `text` times that in `said`. Above
// a million, words are not matched, and all share the whole time.
std::vector<PlacedWord> PlaceWords(absl::string_view text, absl::Span<const Word> said);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_PLACE_WORDS_H_
