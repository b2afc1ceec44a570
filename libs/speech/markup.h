// Recognises the parts of a text that are not spoken: tags, addresses, link destinations.
//
// The text may come in parts, so that each function sees the start of what is still growing: it
// answers kMore when more text could change its answer, and never takes an answer back. All look at
// most a few thousand bytes ahead.
#ifndef POSEWIRE_LIBS_SPEECH_MARKUP_H_
#define POSEWIRE_LIBS_SPEECH_MARKUP_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace posewire::speech {

// Marks of plain-text formatting, which voices would read aloud by name.
bool IsFormatting(char32_t c);

struct Match {
  enum What { kNo, kMore, kYes };
  What what = kNo;
  size_t size = 0;  // of kYes, in bytes
};

// "<b>", "</speak>", "<!-- a comment -->", "<https://a.b>"; `text` starts with '<'.
Match MatchTag(absl::string_view text);
// Whether a tag stands between words ("<br>") rather than inside one ("<b>").
bool IsBlockTag(absl::string_view tag);

// "(https://a.b/c "title")" after the "]" of a link.
Match MatchDestination(absl::string_view text);
// "[reference]" there, or a footnote's "[^1]". No line break, at most 256 bytes.
Match MatchBrackets(absl::string_view text);

// "https://", "www." and the like, in any case; the address goes on while IsAddressChar.
Match MatchAddressStart(absl::string_view text);
bool IsAddressChar(char32_t c);
// "name@example.com".
Match MatchEmail(absl::string_view text);

// "1" with U+FE0F and U+20E3: an emoji.
Match MatchKeycap(absl::string_view text);

// "&amp;" and the like; `text` starts with '&'. `meant` is the character, a space for < and >.
Match MatchEntity(absl::string_view text, char& meant);

// A line that holds nothing but signs: "---", "| :-- |", "===". Its line break is part of it.
Match MatchRule(absl::string_view text);
// The first line of a block of code, "```python"; `fence` becomes its signs.
Match MatchFence(absl::string_view text, absl::string_view& fence);
// The whole next line, or 4096 bytes of it, with its line break.
Match MatchLine(absl::string_view text);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_MARKUP_H_
