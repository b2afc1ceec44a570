// HTTP routes through which the page calls a running source.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SOURCE_ROUTES_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SOURCE_ROUTES_H_

#include <memory>
#include <string>
#include <vector>

#include "libs/service/http/http_router.h"
#include "services/renderer_sink/grpc/json_calls.h"
#include "services/renderer_sink/view/login.h"

namespace posewire::renderer_sink {

// Prepares calls of posewire.source.v1.SourceService; makes none yet.
std::unique_ptr<JsonCalls> CallSource(const client::ConnectionOptions& connection,
                                      const service::Logger& log);

// POST /source/say and /source/stop, GET /source/voices: bodies are the JSON of the service's
// messages. Errors are the source's own; 503 if it does not respond. `login` checks permissions;
// null: all visitors may. Both must outlive the host of the routes.
std::vector<service::HttpRoute> SourceRoutes(JsonCalls* source, Login* login);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SOURCE_ROUTES_H_
