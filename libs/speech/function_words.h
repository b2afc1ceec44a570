// Function words of a language, which carry no accent: articles, pronouns, prepositions.
#ifndef POSEWIRE_LIBS_SPEECH_FUNCTION_WORDS_H_
#define POSEWIRE_LIBS_SPEECH_FUNCTION_WORDS_H_

#include "absl/strings/string_view.h"

namespace posewire::speech {

// `language` is a primary one ("pt"), `word` in lower case. In languages without a list, words of
// one or two letters count as function words.
bool IsFunctionWord(absl::string_view language, absl::string_view word);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_FUNCTION_WORDS_H_
