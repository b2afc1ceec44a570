// Serves the shapes of objects in the scene to the page as GLB, as the painter draws them.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PROP_ROUTE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PROP_ROUTE_H_

#include <memory>

#include "libs/service/http/http_message.h"
#include "libs/service/http/http_router.h"
#include "services/renderer_sink/draw/prop_models.h"

namespace posewire::renderer_sink {

// GET /prop.glb?shape=cup&width=0.08&height=0.1&depth=0.08, in metres, around its own origin. The
// shape is the name of a model, cup or table; any other is a box. 400 names a size that is not
// above 0 and at most 100. A model is written anew from what was read, so that the page loads
// nothing that was not checked; the last 16 are kept.
service::HttpRoute PropRoute(std::shared_ptr<const PropModels> models,
                             const service::HttpFields& headers);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PROP_ROUTE_H_
