// Factories of a2f_source's commands. Each is implemented in the folder of its name.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_COMMANDS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_COMMANDS_H_

#include <memory>

#include "libs/service/command.h"
#include "services/a2f_source/live/face_config.h"
#include "services/a2f_source/live/live_config.h"
#include "services/a2f_source/request/source_settings.h"
#include "services/a2f_source/voices/voice_config.h"

namespace posewire::a2f_source {

// The shared settings must outlive the commands.
std::unique_ptr<service::Command> MakePlay(const SourceSettings& source);
std::unique_ptr<service::Command> MakeSay(const SourceSettings& source, const VoiceConfig& speaks);
std::unique_ptr<service::Command> MakeTalk(const SourceSettings& source, const VoiceConfig& speaks);
std::unique_ptr<service::Command> MakeWav(const SourceSettings& source);
std::unique_ptr<service::Command> MakeServe(const SourceSettings& source,
                                            const VoiceConfig& speaks);
std::unique_ptr<service::Command> MakeIfacialmocap(const SourceSettings& source,
                                                   const LiveConfig& live, const FaceConfig& face);
std::unique_ptr<service::Command> MakeLivelink(const SourceSettings& source, const LiveConfig& live,
                                               const FaceConfig& face);
std::unique_ptr<service::Command> MakeVmc(const SourceSettings& source, const LiveConfig& live);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_COMMANDS_H_
