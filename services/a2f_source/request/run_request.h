// One request of play, say, talk or wav, from its source to where it goes.
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

// Starts to serve those who pull; null if --listen was not given.
absl::StatusOr<std::unique_ptr<PullHost>> StartPullHost(const SourceSettings& settings,
                                                        PullRegistry* room,
                                                        const service::Logger& log);

// Makes the source of a request. Looking for the beginning of what is played takes long in a long
// file, and a microphone may be silent for long; both are CANCELLED once `stopped` says so.
using MakeSource =
    std::function<absl::StatusOr<std::unique_ptr<Source>>(std::function<bool()> stopped)>;

// Runs to the end of the request, or until the process is told to stop. With a `host` the request
// is served to those who pull, too. The result is an exit code.
int RunRequest(const SourceSettings& settings, const MakeSource& make, PullHost* host,
               service::Process& process, const service::Logger& log);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_RUN_REQUEST_H_
