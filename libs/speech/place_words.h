// Which words of a written text are said when.
//
// What a voice says is not always what is written: "2026" is said in three words, "e.g." in two.
// Words that are the same in both are taken as they are, in order; what lies between them shares
// the time of what was said between them, by its letters.
#ifndef POSEWIRE_LIBS_SPEECH_PLACE_WORDS_H_
#define POSEWIRE_LIBS_SPEECH_PLACE_WORDS_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/speech/voice.h"

namespace posewire::speech {

// A word of the text with the signs around it, from byte `begin` to before `end`.
struct PlacedWord {
  size_t begin = 0, end = 0;
  double start_s = 0, end_s = 0;
};

// The words of a UTF-8 text, parted by white space, in order; a character of Chinese or Japanese is
// a word of its own. What has no letter or digit goes with the word before it. `said` is in order;
// nothing is placed when it is empty. Times are those of `said` and do not go back.
std::vector<PlacedWord> PlaceWords(absl::string_view text, absl::Span<const Word> said);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_PLACE_WORDS_H_
