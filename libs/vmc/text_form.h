// VMC messages as lines of text, for command lines and logs.
#ifndef POSEWIRE_LIBS_VMC_TEXT_FORM_H_
#define POSEWIRE_LIBS_VMC_TEXT_FORM_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::vmc {

// Encodes a line, such as `/VMC/Ext/Set/Shortcut "Functions.FreeCamera"`, as a datagram. The line
// has an address and its arguments. An argument is an integer, a number or text, by how it is
// written; an argument in double quotes is always text. The arguments are then converted to the
// types that VMC has for the message. INVALID_ARGUMENT, with the argument, if VMC does not have the
// message, or not with these arguments.
absl::StatusOr<std::string> EncodeLine(absl::string_view line);

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_TEXT_FORM_H_
