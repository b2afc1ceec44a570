// Lists known names in an error about an unknown name.
#ifndef POSEWIRE_LIBS_NAMES_KNOWN_NAMES_H_
#define POSEWIRE_LIBS_NAMES_KNOWN_NAMES_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire {

// With more names than this, the error reports their number instead of listing them.
inline constexpr size_t kFewNames = 16;

// Returns the end of an error about `text`, beginning with its semicolon: "; did you mean wave?
// Known are nod, wave", "; known are nod, wave", "; there is none". With more than kFewNames: ";
// did you mean wave? There are 91", "; there are 91, such as clap, nod, wave".
std::string KnownNames(absl::string_view text, absl::Span<const std::string> names);

}  // namespace posewire

#endif  // POSEWIRE_LIBS_NAMES_KNOWN_NAMES_H_
