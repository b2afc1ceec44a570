#include "services/a2f_source/say/run_say.h"

#include <functional>
#include <utility>

#include "services/a2f_source/grpc/activity_tempo.h"
#include "services/a2f_source/request/run_request.h"

namespace posewire::a2f_source {
namespace {

// A text for a compositor is spoken at its avatar's tempo.
double SpeedOf(const SourceSettings& settings, double speed) {
  if (!settings.out.empty() || settings.pulled_only()) return speed;
  const client::PushOptions push = settings.Push(service::Logger());
  return ActivityTempo(push.connection).Of(settings.stream_id, settings.target_id, speed);
}

}  // namespace

SayOptions MakeSayOptions(const SourceSettings& settings, const VoiceConfig& speaks,
                          const speech::SpeechManner& manner) {
  SayOptions options;
  options.fps = settings.Fps();
  options.seed = static_cast<uint64_t>(settings.seed);
  options.body = settings.body;
  options.manner = manner;
  options.max_gap_s = speaks.max_gap_s;
  return options;
}

absl::StatusOr<std::unique_ptr<Source>> MakeSaySource(VoiceCatalog& voices, absl::string_view voice,
                                                      absl::string_view text, SayOptions options) {
  auto made = voices.Make(voice, options.manner.language);
  if (!made.ok()) return made.status();
  options.clauses = voices.ClausesOf(voice);
  return SaySource::Make(text, *std::move(made), options);
}

int RunSay(const SourceSettings& settings, const VoiceConfig& speaks, absl::string_view text,
           VoiceCatalog& voices, PullHost* host, service::Process& process,
           const service::Logger& log) {
  const speech::SpeechManner manner{speaks.language, SpeedOf(settings, speaks.speed)};
  return RunRequest(
      settings,
      [&](const std::function<bool()>&) {
        return MakeSaySource(voices, speaks.voice, text, MakeSayOptions(settings, speaks, manner));
      },
      host, process, log);
}

}  // namespace posewire::a2f_source
