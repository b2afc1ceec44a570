// `renderer_sink record`, `print`, `stream` and `vmc`: one pull, or what is pushed, and one
// consumer of it.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_PULL_RUN_PULL_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_PULL_RUN_PULL_H_

#include <string>

#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "services/renderer_sink/pull/pull_settings.h"

namespace posewire::renderer_sink {

// Runs until it is enough, and prints a summary. Says that it is ready, where it listens, once
// there is a consumer. The result is an exit code.
int RunPull(const Config& config, const std::string& command, service::Process& process,
            const service::Logger& log);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_PULL_RUN_PULL_H_
