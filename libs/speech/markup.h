// Recognises the parts of a text that are not spoken: tags, addresses, link targets.
//
// The text may arrive in parts, so each function may see only the beginning of a construct. It
// returns kMore if more text could change the result, and its other results are final. All look at
// most a few thousand bytes ahead.
#ifndef POSEWIRE_LIBS_SPEECH_MARKUP_H_
#define POSEWIRE_LIBS_SPEECH_MARKUP_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace posewire::speech {

// Characters of plain-text formatting, which voices would read aloud by name.
bool IsFormatting(char32_t c);

struct Match {
  enum What { kNo, kMore, kYes };
  What what = kNo;
  size_t size = 0;  // of kYes, in bytes
};

// Matches "<b>", "</speak>", "<!-- a comment -->", "<https://a.b>"; `text` begins with '<'.
Match MatchTag(absl::string_view text);
// Returns true if a tag separates words ("<br>") instead of being inside one ("<b>").
bool IsBlockTag(absl::string_view tag);

// Matches "(https://a.b/c "title")" after the "]" of a link.
Match MatchDestination(absl::string_view text);
// Matches "[reference]" there, or a footnote's "[^1]". No line break, at most 256 bytes.
Match MatchBrackets(absl::string_view text);

// Matches "https://", "www." and the like, in any case; the address continues while IsAddressChar.
Match MatchAddressStart(absl::string_view text);
bool IsAddressChar(char32_t c);
// Matches "name@example.com".
Match MatchEmail(absl::string_view text);

// Matches "1" with U+FE0F and U+20E3: an emoji.
Match MatchKeycap(absl::string_view text);

// Matches "&amp;" and the like; `text` begins with '&'. Sets `meant` to the character, a space for
// < and >.
Match MatchEntity(absl::string_view text, char& meant);

// Matches a line of signs only: "---", "| :-- |", "===", including its line break.
Match MatchRule(absl::string_view text);
// Matches the first line of a code block, "```python"; sets `fence` to its signs.
Match MatchFence(absl::string_view text, absl::string_view& fence);
// Matches the whole next line, or 4096 bytes of it, including its line break.
Match MatchLine(absl::string_view text);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_MARKUP_H_
