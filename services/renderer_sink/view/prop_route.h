// Serves the shapes of objects in the scene to the page as GLB, as the painter draws them.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PROP_ROUTE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PROP_ROUTE_H_

#include "libs/service/http/http_message.h"
#include "libs/service/http/http_router.h"

namespace posewire::renderer_sink {

// GET /prop.glb?shape=cup&width=0.08&height=0.1&depth=0.08, in metres, around its own origin. An
// unknown shape is a box. 400 names a size that is not above 0 and at most 100. Made for each
// request, in less time than sending a file of that size takes.
service::HttpRoute PropRoute(const service::HttpFields& headers);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PROP_ROUTE_H_
