// Suggests known names for an unknown name.
#ifndef POSEWIRE_LIBS_NAMES_NEAREST_NAMES_H_
#define POSEWIRE_LIBS_NAMES_NEAREST_NAMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire {

// Returns at most `most` of the names, the nearest first, ties in their order. A name is near if a
// few keystrokes turn the text into it (a third of its letters: one too many, missing, wrong, or
// swapped with its neighbour), or if one contains the other. Ignores case, and treats blank, '-'
// and '_' as equal. If names differ only in these, the first is used. No name is near a text of
// more than 64 bytes.
std::vector<std::string> NearestNames(absl::string_view text, absl::Span<const std::string> names,
                                      size_t most = 3);

}  // namespace posewire

#endif  // POSEWIRE_LIBS_NAMES_NEAREST_NAMES_H_
