#include "libs/speech/spell_ascii.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "libs/speech/markup.h"
#include "libs/speech/unicode_text.h"

namespace posewire::speech {
namespace {

struct Spelling {
  char32_t code;
  const char* text;
};

constexpr Spelling kSpellings[] = {
    {0x00A0, " "},
    {0x00A2, " cents "},
    {0x00A3, " pounds "},
    {0x00A5, " yen "},
    {0x00A6, " "},
    {0x00A7, " section "},
    {0x00A9, " copyright "},
    {0x00AB, "\""},
    {0x00AD, ""},
    {0x00AE, ""},
    {0x00B0, " degrees "},
    {0x00B1, " plus or minus "},
    {0x00B2, " squared "},
    {0x00B3, " cubed "},
    {0x00B4, "'"},
    {0x00B5, " micro"},
    {0x00B7, " "},
    {0x00BB, "\""},
    {0x00BC, " one quarter "},
    {0x00BD, " one half "},
    {0x00BE, " three quarters "},
    {0x00C6, "AE"},
    {0x00D7, " times "},
    {0x00DE, "Th"},
    {0x00DF, "ss"},
    {0x00E6, "ae"},
    {0x00F7, " divided by "},
    {0x00FE, "th"},
    {0x0132, "IJ"},
    {0x0133, "ij"},
    {0x0152, "OE"},
    {0x0153, "oe"},
    {0x1E9E, "SS"},
    {0x2010, "-"},
    {0x2011, "-"},
    {0x2012, "-"},
    {0x2013, " - "},
    {0x2014, ", "},
    {0x2015, ", "},
    {0x2018, "'"},
    {0x2019, "'"},
    {0x201A, "'"},
    {0x201B, "'"},
    {0x201C, "\""},
    {0x201D, "\""},
    {0x201E, "\""},
    {0x2022, "\n- "},
    {0x2026, "..."},
    {0x2028, "\n"},
    {0x2029, "\n\n"},
    {0x202F, " "},
    {0x2032, "'"},
    {0x2033, "\""},
    {0x2039, "'"},
    {0x203A, "'"},
    {0x203D, "?!"},
    {0x2044, "/"},
    {0x20AC, " euros "},
    {0x2122, ""},
    {0x2212, " minus "},
    {0x2260, " is not equal to "},
    {0x2264, " at most "},
    {0x2265, " at least "},
    {0x3000, " "},
    {0x3001, ", "},
    {0x3002, ". "},
    {0xFB01, "fi"},
    {0xFB02, "fl"},
    {0xFEFF, ""},
};

// Returns the ASCII spelling of a character, or nothing if it cannot be spoken.
std::optional<std::string> Spell(char32_t code) {
  if (code == '\n' || (code >= 0x20 && code < 0x7F)) {
    return std::string(1, IsFormatting(code) ? ' ' : static_cast<char>(code));
  }
  if (code == '\t' || code == '\v' || code == '\f' || code == '\r') return " ";
  for (const Spelling& s : kSpellings) {
    if (s.code == code) return s.text;
  }
  if (const char base = LatinBase(code)) return std::string(1, base);
  if (code >= 0x300 && code <= 0x36F) return "";                      // combining accents
  if (code >= 0x2000 && code <= 0x200A) return " ";                   // typographic spaces
  if (code >= 0x200B && code <= 0x200F) return "";                    // joiners and direction marks
  if (code >= 0xFE00 && code <= 0xFE0F) return "";                    // variation selectors
  if (code >= 0xFF01 && code <= 0xFF5E) return Spell(code - 0xFEE0);  // full-width forms
  return std::nullopt;
}

}  // namespace

absl::StatusOr<SpokenText> SpellAscii(absl::string_view utf8) {
  SpokenText out;
  size_t left_out = 0;
  char32_t first_left_out = 0;
  for (size_t at = 0; at < utf8.size();) {
    const std::optional<char32_t> code = DecodeUtf8(utf8, at);
    if (!code) return NotUtf8(utf8, at);
    if (const std::optional<std::string> spelling = Spell(*code)) {
      out.text += *spelling;
      continue;
    }
    out.text += ' ';
    if (left_out++ == 0) first_left_out = *code;
  }
  if (left_out > 0 && std::none_of(out.text.begin(), out.text.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c));
      })) {
    return absl::InvalidArgumentError(
        "text: nothing in it can be spoken by this voice, at least one Latin letter or digit is "
        "needed");
  }
  if (left_out > 0) {
    out.notes.push_back(
        absl::StrFormat("text: %d character%s left out that the voice cannot speak "
                        "(the first is U+%04X)",
                        left_out, left_out == 1 ? "" : "s", static_cast<uint32_t>(first_left_out)));
  }
  return out;
}

}  // namespace posewire::speech
