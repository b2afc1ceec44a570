// The files of the page at /docs, embedded in the program.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_PAGE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_PAGE_H_

#include "absl/strings/string_view.h"

namespace posewire::anim_graph {

// Returns the content of "docs.html", "docs.css" or "docs.js"; empty for any other name.
absl::string_view PageFile(absl::string_view name);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_PAGE_H_
