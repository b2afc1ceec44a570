// Unicode functions for speech: reading UTF-8, and classifying characters.
//
// The classes are ranges of the Unicode standard's blocks instead of its tables: right for the
// scripts in use today, and a guess for rare ones.
#ifndef POSEWIRE_LIBS_SPEECH_UNICODE_TEXT_H_
#define POSEWIRE_LIBS_SPEECH_UNICODE_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/string_view.h"

namespace posewire::speech {

struct CharRange {
  char32_t first, last;
};
// Returns true if one of the ranges, which must be ordered and disjoint, contains the character.
template <size_t n>
bool Holds(const CharRange (&ranges)[n], char32_t c) {
  const auto* r = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                   [](char32_t x, const CharRange& y) { return x < y.first; });
  return r != std::begin(ranges) && c <= std::prev(r)->last;
}
inline bool IsOneOf(std::u32string_view all, char32_t c) {
  return all.find(c) != std::u32string_view::npos;
}

// Reads the character at `at` (below the size) and moves `at` past it. Returns nothing, and leaves
// `at`, if the bytes there are not UTF-8.
std::optional<char32_t> DecodeUtf8(absl::string_view s, size_t& at);

// Returns true if `s`, of 1 to 3 bytes, may be the start of an incomplete character.
bool IsUtf8Start(absl::string_view s);

// Returns the character that ends at `end` (above 0) of valid UTF-8.
char32_t CharBefore(absl::string_view s, size_t end);

void AppendUtf8(char32_t c, std::string& out);

// Returns true for letters, digits and vowel signs of any script: the characters of words.
bool IsWordChar(char32_t c);
// Returns true for signs that are part of the character before: accents, vowel signs, variation
// selectors.
bool IsMark(char32_t c);
// Returns true for ideographs and kana: scripts without spaces, whose characters are syllables.
bool IsCjk(char32_t c);
// Returns true for scripts without spaces between words: those, Thai, Lao, Khmer and Burmese.
bool HasNoSpaces(char32_t c);
// Returns true for ASCII's and typographic spaces, except no-break spaces.
bool IsBreakingSpace(char32_t c);
// Also true for the no-break space.
inline bool IsBlank(char32_t c) { return IsBreakingSpace(c) || c == 0xA0; }

// For Latin, Greek and Cyrillic letters.
bool IsLowerCase(char32_t c);
char32_t ToLowerCase(char32_t c);
std::string ToLowerUtf8(absl::string_view s);

// Returns the ASCII letter of a Latin letter ("é" is "e"); 0 for other characters and for
// ligatures.
char LatinBase(char32_t c);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_UNICODE_TEXT_H_
