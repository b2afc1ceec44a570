// What an error about a name that is not there says of those that are.
#ifndef POSEWIRE_LIBS_NAMES_KNOWN_NAMES_H_
#define POSEWIRE_LIBS_NAMES_KNOWN_NAMES_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire {

// More names than these are counted, and not listed.
inline constexpr size_t kFewNames = 16;

// The end of an error about `text`, from its semicolon on: "; did you mean wave? Known are nod,
// wave", "; known are nod, wave", "; there is none". Of more than kFewNames: "; did you mean wave?
// There are 91", "; there are 91, such as clap, nod, wave".
std::string KnownNames(absl::string_view text, absl::Span<const std::string> names);

}  // namespace posewire

#endif  // POSEWIRE_LIBS_NAMES_KNOWN_NAMES_H_
