// `a2f_source say`, `wav` and `play`: one request, from its source to where it goes.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_RUN_REQUEST_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_RUN_REQUEST_H_

#include <string>

#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "services/a2f_source/pulls/pull_host.h"
#include "services/a2f_source/request/source_settings.h"

namespace posewire::a2f_source {

// Runs to the end of the request, or until the process is told to stop. With a `host` the request
// is served to those who pull, too. `quiet`: a line on standard error says the result, which the
// log leaves out. `voices` are for "say", and else null. The result is an exit code.
int RunOnce(const Config& config, const std::string& command, bool quiet, VoiceCatalog* voices,
            PullHost* host, service::Process& process, const service::Logger& log);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_RUN_REQUEST_H_
