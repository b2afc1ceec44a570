// Foreign text on a terminal.
#ifndef POSEWIRE_LIBS_PROGRAM_TERMINAL_TEXT_H_
#define POSEWIRE_LIBS_PROGRAM_TERMINAL_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace posewire::program {

// The first character of a text.
struct Utf8Char {
  size_t bytes = 1;
  // U+FFFD, of one byte, if there is no UTF-8 (overlong forms, surrogates and what is past U+10FFFF
  // included).
  char32_t code = 0xFFFD;
  bool valid = false;
};
// `text` must not be empty.
Utf8Char FirstUtf8Char(absl::string_view text);

// True for characters that a terminal obeys or that change how other text is read: C0, DEL, C1,
// line and paragraph separators (U+2028, U+2029), and those that set the direction of text (U+061C,
// U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069).
bool IsUnsafeOnTerminal(char32_t code);

// \n, \t, \r or \uXXXX, as in JSON, for an unsafe character.
void AppendEscaped(char32_t code, std::string* out);

// `text` on one line, and nothing in it that a terminal obeys: unsafe characters are escaped, and
// bytes that are no UTF-8 become \xXX. A backslash stays as it is: this is for people, and cannot
// be reversed.
std::string TerminalText(absl::string_view text);

// The same for an error of several lines: each by itself, and those after the first indented, so
// that none can pass for another message.
std::string TerminalLines(absl::string_view text);

}  // namespace posewire::program

#endif  // POSEWIRE_LIBS_PROGRAM_TERMINAL_TEXT_H_
