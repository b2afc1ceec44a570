// `a2f_source talk`: avatars of one stream speak to each other, in turn.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_TALK_TALK_COMMAND_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_TALK_TALK_COMMAND_H_

#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "services/a2f_source/request/source_settings.h"

namespace posewire::a2f_source {

// Says the lines of config.file (core/dialogue.h), each as a request of its own to the avatar of
// that name, one when the one before it has ended, until the end or until the process is told to
// stop. The result is an exit code: 2 for a file that cannot be read.
int RunTalk(const Config& config, VoiceCatalog& voices, service::Process& process,
            const service::Logger& log);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_TALK_TALK_COMMAND_H_
