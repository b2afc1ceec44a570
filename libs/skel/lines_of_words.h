// Parses the lines of our text files (rigs, naming conventions), each a row of words.
#ifndef POSEWIRE_LIBS_SKEL_LINES_OF_WORDS_H_
#define POSEWIRE_LIBS_SKEL_LINES_OF_WORDS_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::skel {

using Words = absl::Span<const absl::string_view>;

// Calls `take` with the words of each non-empty line, up to its first error, which is returned as
// INVALID_ARGUMENT with the line number. Blanks separate words; a '#' begins a comment up to the
// end of the line.
inline absl::Status EachLineOfWords(absl::string_view text,
                                    absl::FunctionRef<absl::Status(Words words)> take) {
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = line.substr(0, line.find('#'));
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) continue;
    if (const absl::Status s = take(words); !s.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", s.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_LINES_OF_WORDS_H_
