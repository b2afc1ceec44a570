// Splits a whole text into pieces.
#ifndef POSEWIRE_TESTS_UNIT_SPEECH_SPLIT_SPEECH_TEXT_H_
#define POSEWIRE_TESTS_UNIT_SPEECH_SPLIT_SPEECH_TEXT_H_

#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/speech/clause_splitter.h"
#include "libs/speech/speech_text.h"

namespace posewire::speech {

// The pieces of a clean text. `language` is BCP 47; empty is English.
inline std::vector<TextPiece> SplitSpeechText(absl::string_view text, const ClauseLimits& limits,
                                              absl::string_view language) {
  ClauseSplitter splitter(language, limits);
  std::vector<TextPiece> pieces = splitter.Add(text);
  for (TextPiece& p : splitter.Flush()) pieces.push_back(std::move(p));
  return pieces;
}

// Limits are in letters.
inline std::vector<TextPiece> SplitSpeechText(absl::string_view text, size_t first_limit = 90,
                                              size_t limit = 300, absl::string_view language = "") {
  ClauseLimits limits;
  limits.first = first_limit;
  limits.most = limit;
  return SplitSpeechText(text, limits, language);
}

}  // namespace posewire::speech

#endif  // POSEWIRE_TESTS_UNIT_SPEECH_SPLIT_SPEECH_TEXT_H_
