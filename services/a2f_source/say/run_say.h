// Speaks a text with voice, face and body, for the commands say, talk and serve.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_SAY_RUN_SAY_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_SAY_RUN_SAY_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "services/a2f_source/core/say_source.h"
#include "services/a2f_source/pulls/pull_host.h"
#include "services/a2f_source/request/source_settings.h"
#include "services/a2f_source/voices/voice_config.h"

namespace posewire::a2f_source {

SayOptions MakeSayOptions(const SourceSettings& settings, const VoiceConfig& speaks,
                          const speech::SpeechManner& manner);

// `options` are from MakeSayOptions. Errors: those of VoiceCatalog::Make and SaySource::Make.
absl::StatusOr<std::unique_ptr<Source>> MakeSaySource(VoiceCatalog& voices, absl::string_view voice,
                                                      absl::string_view text, SayOptions options);

// See RunRequest.
int RunSay(const SourceSettings& settings, const VoiceConfig& speaks, absl::string_view text,
           VoiceCatalog& voices, PullHost* host, service::Process& process,
           const service::Logger& log);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_SAY_RUN_SAY_H_
