// Formats names for errors.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_QUOTED_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_QUOTED_H_

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace posewire::graph {

// Returns `text` in double quotes, with unprintable characters escaped.
inline std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", absl::CHexEscape(text), "\"");
}

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_QUOTED_H_
