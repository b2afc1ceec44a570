// The HTTP paths of the control API as a table. The server and its OpenAPI document are both made
// from it, so they always match.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_ENDPOINTS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_ENDPOINTS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"

namespace posewire::anim_graph {

struct Endpoint {
  enum Body {
    kIgnored,   // any body, of any content type
    kJson,      // the field `body_field` of the call's request as JSON
    kBytes,     // the field `body_field` as raw bytes
    kSdrEvent,  // {"event": {"camera_id": "<stream_id>"}}
  };
  const char* method;
  // Names in braces are fields of the request; see FieldOf.
  const char* pattern;
  // A method of posewire.control.v1.ControlService. Empty: a probe, which the server answers
  // itself.
  const char* call;
  const char* group;    // heading in the OpenAPI document
  const char* summary;  // one sentence
  Body body = kIgnored;
  const char* body_field = "";
  std::vector<const char*> query = {};  // fields of the request
};

absl::Span<const Endpoint> Endpoints();
// A probe answers {"status": "ok"}, or 503.
bool IsProbe(const Endpoint& endpoint);

// Returns the names in braces of a pattern, in order.
std::vector<std::string> NamesIn(const std::string& pattern);

// Returns the request field that a name in the pattern fills, such as "user.name" for {user}. Empty
// for {graph}, which fills none.
std::string FieldOf(const Endpoint& endpoint, const std::string& name);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_ENDPOINTS_H_
