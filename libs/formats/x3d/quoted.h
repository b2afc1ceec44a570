// Strings between quotation marks, as both written forms of X3D have them in lists.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_QUOTED_H_
#define POSEWIRE_LIBS_FORMATS_X3D_QUOTED_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace posewire::x3d {

// In quotation marks, with a backslash before those inside and before backslashes.
std::string Quoted(absl::string_view text);
// What stands in the quotation marks of a list. A text that starts with none is one string; a last
// mark that is missing is taken as there.
std::vector<std::string> Unquoted(absl::string_view list);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_QUOTED_H_
