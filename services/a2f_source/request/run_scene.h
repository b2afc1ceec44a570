// Runs the characters of a scene: one request each, to one stream, in sync.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_RUN_SCENE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_RUN_SCENE_H_

#include <memory>
#include <string>
#include <vector>

#include "libs/asset/scene.h"
#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "services/a2f_source/core/source.h"
#include "services/a2f_source/request/source_settings.h"

namespace posewire::a2f_source {

struct SceneRequest {
  std::string target_id;
  asset::GroundPlace place;
  std::unique_ptr<Source> source;
};

// Pushes all requests, each on a thread of its own; none sends before all are ready. The first has
// the settings' request id, the others that and their target. Puts each avatar in its place, and
// again if the server restarts; if it has no places, says so and goes on. When one request fails,
// the others go on. Returns the exit code of the first that failed.
int RunScene(const SourceSettings& settings, std::vector<SceneRequest> requests,
             service::Process& process, const service::Logger& log);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_RUN_SCENE_H_
