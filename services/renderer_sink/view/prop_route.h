// Serves the shapes of objects in the scene to the page as GLB, as the painter draws them.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PROP_ROUTE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PROP_ROUTE_H_

#include <functional>
#include <memory>

#include "libs/service/http/http_message.h"
#include "libs/service/http/http_router.h"
#include "libs/service/task_thread.h"
#include "services/renderer_sink/draw/prop_models.h"

namespace posewire::renderer_sink {

// Runs a task on a thread for slow ones; returns false if too many wait.
using PostTask = std::function<bool(service::TaskThread::Task)>;

// GET /prop.glb?shape=cup&width=0.08&height=0.1&depth=0.08, in metres, around its own origin. The
// shape is the name of a model, cup or table; any other is a box. 400 names a size that is not
// above 0 and at most 100. A model is written anew from what was read, so that the page loads
// nothing that was not checked. `post` runs this; 503 if it does not. The encoded models that were
// requested last are kept, 64 MiB together, and serve all sizes.
service::HttpRoute PropRoute(std::shared_ptr<const PropModels> models, const PostTask& post,
                             const service::HttpFields& headers);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PROP_ROUTE_H_
