// The OpenAPI document of the control API.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_OPENAPI_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_OPENAPI_H_

#include <string>

#include "absl/strings/string_view.h"

namespace posewire::anim_graph {

// Returns the document in OpenAPI 3.0.3, generated from Endpoints() and the descriptors of
// posewire.control.v1.
std::string OpenApiDocument(absl::string_view version);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_OPENAPI_H_
