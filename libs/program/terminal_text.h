// Makes untrusted text safe to print on a terminal.
#ifndef POSEWIRE_LIBS_PROGRAM_TERMINAL_TEXT_H_
#define POSEWIRE_LIBS_PROGRAM_TERMINAL_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace posewire::program {

// The first character of a text.
struct Utf8Char {
  size_t bytes = 1;
  // U+FFFD with one byte if the text does not begin with valid UTF-8 (overlong forms, surrogates
  // and values above U+10FFFF are invalid).
  char32_t code = 0xFFFD;
  bool valid = false;
};
// `text` must not be empty.
Utf8Char FirstUtf8Char(absl::string_view text);

// Returns true for characters that control a terminal or change how other text is displayed: C0,
// DEL, C1, line and paragraph separators (U+2028, U+2029), and those that set the direction of text
// (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069).
bool IsUnsafeOnTerminal(char32_t code);

// Appends \n, \t, \r or \uXXXX, as in JSON, for an unsafe character.
void AppendEscaped(char32_t code, std::string* out);

// Returns `text` as one line without characters that control a terminal: unsafe characters are
// escaped, and bytes that are not UTF-8 become \xXX. A backslash is not escaped, so the result is
// for people and cannot be reversed.
std::string TerminalText(absl::string_view text);

// The same for an error of several lines. Each line is escaped separately, and lines after the
// first are indented, so that none can imitate another message.
std::string TerminalLines(absl::string_view text);

}  // namespace posewire::program

#endif  // POSEWIRE_LIBS_PROGRAM_TERMINAL_TEXT_H_
