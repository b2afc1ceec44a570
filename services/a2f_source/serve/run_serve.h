// `a2f_source serve`: waits for texts and voices over gRPC, and gives them a face.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_SERVE_RUN_SERVE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_SERVE_RUN_SERVE_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "libs/client/push_client.h"
#include "libs/service/grpc_host.h"
#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "services/a2f_source/core/source.h"
#include "services/a2f_source/grpc/a2f_services.h"
#include "services/a2f_source/grpc/say_streams.h"
#include "services/a2f_source/speaker/say_text.h"
#include "services/a2f_source/speaker/speaker.h"
#include "services/a2f_source/voices/voice_catalog.h"

namespace posewire::a2f_source {

struct ServeSettings {
  service::GrpcHostOptions grpc;
  client::PushOptions push;  // of every text, but for its policy
  bool pulled_only = false;  // nothing is pushed
  SayDefaults defaults;
  SpeakerOptions speaker;
  SayStreamOptions streams;
  std::shared_ptr<VoiceCatalog> voices;
  std::function<absl::StatusOr<std::unique_ptr<Source>>(const SayText& text)> make_source;
  A2fOptions sounds;
};

// Serves until the process is told to stop; what is being said, or comes as a voice, is then
// stopped. The result is an exit code; a stop by a signal is 0.
int RunServe(const ServeSettings& settings, service::Process& process, const service::Logger& log);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_SERVE_RUN_SERVE_H_
