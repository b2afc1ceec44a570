// What speech needs to know of characters: reading UTF-8, and which ones are letters.
//
// The classes are ranges of the Unicode standard's blocks rather than its tables: right for the
// scripts that are written today, and a guess for what few fonts can show.
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
// Whether one of the ranges, which are in order and apart, has the character.
template <size_t n>
bool Holds(const CharRange (&ranges)[n], char32_t c) {
  const auto* r = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                   [](char32_t x, const CharRange& y) { return x < y.first; });
  return r != std::begin(ranges) && c <= std::prev(r)->last;
}
inline bool IsOneOf(std::u32string_view all, char32_t c) {
  return all.find(c) != std::u32string_view::npos;
}

// Reads the character at `at` (below the size) and moves `at` past it; nothing when the bytes there
// are not UTF-8, and `at` stays.
std::optional<char32_t> DecodeUtf8(absl::string_view s, size_t& at);

// Whether `s`, of 1 to 3 bytes, could be the start of a character that goes on.
bool IsUtf8Start(absl::string_view s);

// The character that ends at `end` (above 0) of text that is UTF-8.
char32_t CharBefore(absl::string_view s, size_t end);

void AppendUtf8(char32_t c, std::string& out);

// A letter, digit or vowel sign of any script: what makes a word.
bool IsWordChar(char32_t c);
// A sign that belongs to the character before it: accents, vowel signs, variation selectors.
bool IsMark(char32_t c);
// Ideographs and kana: scripts without spaces, whose characters are syllables.
bool IsCjk(char32_t c);
// Scripts without spaces between words: those, Thai, Lao, Khmer and Burmese.
bool HasNoSpaces(char32_t c);
// ASCII's spaces and those of typography; no-break spaces are none.
bool IsBreakingSpace(char32_t c);
// Those, and the no-break space.
inline bool IsBlank(char32_t c) { return IsBreakingSpace(c) || c == 0xA0; }

// Latin, Greek and Cyrillic letters.
bool IsLowerCase(char32_t c);
char32_t ToLowerCase(char32_t c);
std::string ToLowerUtf8(absl::string_view s);

// The letter of ASCII in a Latin letter ("é" is "e"); 0 for what is none, and for ligatures.
char LatinBase(char32_t c);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_UNICODE_TEXT_H_
