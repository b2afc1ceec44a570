// What was perhaps meant by a name that is not known.
#ifndef POSEWIRE_LIBS_GRAPH_NEAREST_NAMES_H_
#define POSEWIRE_LIBS_GRAPH_NEAREST_NAMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::graph {

// At most `most` of the names, the nearest first, of equal ones in their order. Near is what a few
// strokes of the keyboard make of the text (a third of its letters: one too many, missing, wrong,
// or swapped with its neighbour), and what holds the text whole or is held by it. Upper and lower
// case are the same, and so are blank, '-' and '_'. Of names that differ in nothing else, the first
// is taken. A text of more than 64 bytes is near to nothing.
std::vector<std::string> NearestNames(absl::string_view text, absl::Span<const std::string> names,
                                      size_t most = 3);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_NEAREST_NAMES_H_
