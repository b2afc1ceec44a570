// Runs one request of play, say, talk or wav, from its source to its sinks.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_RUN_REQUEST_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_RUN_REQUEST_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "services/a2f_source/core/source.h"
#include "services/a2f_source/pulls/pull_host.h"
#include "services/a2f_source/request/source_settings.h"

namespace posewire::a2f_source {

// Starts the server for pulls; null if --listen was not given.
absl::StatusOr<std::unique_ptr<PullHost>> StartPullHost(const SourceSettings& settings,
                                                        PullRegistry* room,
                                                        const service::Logger& log);

// Makes the source of a request. Finding the start position in a long file takes time, and a
// microphone may be silent for long. Both return CANCELLED once `stopped` returns true.
using MakeSource =
    std::function<absl::StatusOr<std::unique_ptr<Source>>(std::function<bool()> stopped)>;

// Runs to the end of the request, or until the process is told to stop. With a `host`, the request
// can be pulled, too. Returns an exit code.
int RunRequest(const SourceSettings& settings, const MakeSource& make, PullHost* host,
               service::Process& process, const service::Logger& log);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_RUN_REQUEST_H_
