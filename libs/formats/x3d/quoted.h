// Quoted strings in lists, as used by both forms of X3D.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_QUOTED_H_
#define POSEWIRE_LIBS_FORMATS_X3D_QUOTED_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace posewire::x3d {

// Returns the text in quotation marks, with a backslash before inner ones and before backslashes.
std::string Quoted(absl::string_view text);
// Returns the quoted strings of a list. A text that does not begin with a quotation mark is one
// string; a missing last mark is assumed.
std::vector<std::string> Unquoted(absl::string_view list);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_QUOTED_H_
