// What an unknown name may have meant.
#ifndef POSEWIRE_LIBS_NAMES_NEAREST_NAMES_H_
#define POSEWIRE_LIBS_NAMES_NEAREST_NAMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire {

// At most `most` of the names, the nearest first, ties in their order. A name is near if a few
// keystrokes turn the text into it (a third of its letters: one too many, missing, wrong, or
// swapped with its neighbour), or if one contains the other. Upper and lower case are the same, and
// so are blank, '-' and '_'. Of names that differ in nothing else, the first is taken. Nothing is
// near a text of more than 64 bytes.
std::vector<std::string> NearestNames(absl::string_view text, absl::Span<const std::string> names,
                                      size_t most = 3);

}  // namespace posewire

#endif  // POSEWIRE_LIBS_NAMES_NEAREST_NAMES_H_
