// The shapes of things in the scene, for the page: what the painter draws, as GLB.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PROP_ROUTE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PROP_ROUTE_H_

#include "libs/service/http/http_message.h"
#include "libs/service/http/http_router.h"

namespace posewire::renderer_sink {

// GET /prop.glb?shape=cup&width=0.08&height=0.1&depth=0.08, in metres, about its own origin. What
// is no shape is a box. 400 names a size that is not above 0 and at most 100. Made anew for each
// request, in less time than a file of that size takes to send.
service::HttpRoute PropRoute(const service::HttpFields& headers);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PROP_ROUTE_H_
