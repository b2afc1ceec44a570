// Runs `renderer_sink view` from its start to its stop.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_VIEW_COMMAND_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_VIEW_COMMAND_H_

#include <string>

#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "services/renderer_sink/pull/pull_settings.h"

namespace posewire::renderer_sink {

// Says {"http_port": 8080} when it serves (with "grpc_port" when it listens), and the address to
// people. Returns the exit code.
int RunView(const Config& config, const std::string& version, service::Process& process,
            const service::Logger& log);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_VIEW_COMMAND_H_
