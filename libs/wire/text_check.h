// Checks on text from outside, and forms of it that are safe in an error or a log line.
#ifndef POSEWIRE_LIBS_WIRE_TEXT_CHECK_H_
#define POSEWIRE_LIBS_WIRE_TEXT_CHECK_H_

#include <string>

#include "absl/strings/string_view.h"

namespace posewire::wire {

// Structurally valid UTF-8: shortest forms only, no surrogates, nothing above U+10FFFF.
bool IsUtf8(absl::string_view text);

// True when `text`, which must be UTF-8, holds a control character (C0, DEL or C1).
bool HasControlCharacter(absl::string_view text);

// Returns the text quoted, escaped, and cut after 60 bytes.
std::string Quoted(absl::string_view text);

// Returns the shortest decimal form that distinguishes adjacent time codes.
std::string Number(double value);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_TEXT_CHECK_H_
