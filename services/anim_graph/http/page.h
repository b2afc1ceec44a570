// The files of the page at /docs, which are part of the program.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_PAGE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_PAGE_H_

#include "absl/strings/string_view.h"

namespace posewire::anim_graph {

// "docs.html", "docs.css" or "docs.js"; empty for another name.
absl::string_view PageFile(absl::string_view name);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_PAGE_H_
