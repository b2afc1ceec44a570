// Rules for the sentences of a language: its end marks, abbreviations, ordinals and the words
// before which a pause is possible.
#ifndef POSEWIRE_LIBS_SPEECH_SENTENCE_RULES_H_
#define POSEWIRE_LIBS_SPEECH_SENTENCE_RULES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace posewire::speech {

// Lists of words in lower case, without their full stop, between single spaces.
struct SentenceRules {
  absl::string_view language;       // "de"
  absl::string_view titles;         // never end a sentence: "Dr."
  absl::string_view short_forms;    // do not if the next word is in lower case: "etc."
  absl::string_view before_number;  // do not before a number: "No. 5"
  absl::string_view joining;        // words that begin a part of a sentence
};

// Returns the language of a BCP 47 tag: "pt" for "pt-BR".
std::string PrimaryLanguage(absl::string_view tag);

// Returns English for a language without rules of its own. Valid for the life of the program.
const SentenceRules& RulesOf(absl::string_view language);

// Returns true if `word` is in one of the lists above.
bool IsListed(absl::string_view list, absl::string_view word);

// Returns true if the full stop after `before` (the sentence so far) is part of its last word: an
// abbreviation, an ordinal or the number of a list item. `language` is a primary one; `next` is the
// first character of the following word.
bool StopOfAbbreviation(absl::string_view language, absl::string_view before, char32_t next);

enum class EndMark {
  kNone,
  kStop,           // '.', also used in abbreviations and numbers
  kStatement,      // "…"
  kQuestion,       // these three and kStop end a sentence if followed by a space
  kExclamation,    //
  kWideStatement,  // "。": no space is needed
  kWideQuestion,
  kWideExclamation
};
// `greek` makes ';' a question mark.
EndMark EndMarkOf(char32_t c, bool greek);

bool IsClosing(char32_t c);     // quotes and brackets that may follow an end mark
bool IsOpening(char32_t c);     // and those that may follow it without a space: "¿"
bool IsClauseMark(char32_t c);  // commas and the like

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SENTENCE_RULES_H_
