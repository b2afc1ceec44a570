// Finds where to split a sentence that is too long for one breath.
#ifndef POSEWIRE_LIBS_SPEECH_CUT_POINT_H_
#define POSEWIRE_LIBS_SPEECH_CUT_POINT_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "libs/speech/sentence_rules.h"

namespace posewire::speech {

// Returns how long a character takes to say, in letters.
size_t LettersOf(char32_t c);
size_t LettersOf(absl::string_view text);

struct CutPoint {
  size_t bytes;  // of the first part, at least one character
  bool clause;   // after a clause
};

// Returns the end of the last clause within `letters` letters and `words` words (0: any number).
// Otherwise cuts before the last joining word, else at the last space, or in scripts without spaces
// before the last character that may begin a line; else at the last character within. `text` is one
// line of UTF-8, longer than that.
CutPoint FindCut(absl::string_view text, size_t letters, size_t words, const SentenceRules& rules);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_CUT_POINT_H_
