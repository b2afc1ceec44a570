// What the page asks of a running source, as HTTP.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SOURCE_ROUTES_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SOURCE_ROUTES_H_

#include <memory>
#include <string>
#include <vector>

#include "libs/service/http/http_router.h"
#include "services/renderer_sink/grpc/json_calls.h"
#include "services/renderer_sink/view/login.h"

namespace posewire::renderer_sink {

// Calls of posewire.source.v1.SourceService; none is made yet.
std::unique_ptr<JsonCalls> CallSource(const client::ConnectionOptions& connection,
                                      const service::Logger& log);

// POST /source/say and /source/stop, GET /source/voices: bodies are the JSON of the service's
// messages. Errors are the source's own; 503 says that it does not answer. `login` says who may do
// so; null: everyone. Both outlive the host of the routes.
std::vector<service::HttpRoute> SourceRoutes(JsonCalls* source, Login* login);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SOURCE_ROUTES_H_
