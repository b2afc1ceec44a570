// `a2f_source serve`: speaks texts, and makes faces for voices, that arrive over gRPC.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/service/access/token_file.h"
#include "libs/speech/speech_text.h"
#include "services/a2f_source/commands.h"
#include "services/a2f_source/core/pacer.h"
#include "services/a2f_source/core/source.h"
#include "services/a2f_source/grpc/a2f_services.h"
#include "services/a2f_source/grpc/activity_tempo.h"
#include "services/a2f_source/grpc/control_calls.h"
#include "services/a2f_source/grpc/say_streams.h"
#include "services/a2f_source/grpc/source_service.h"
#include "services/a2f_source/pulls/pull_host.h"
#include "services/a2f_source/pulls/served_sink.h"
#include "services/a2f_source/request/sinks.h"
#include "services/a2f_source/say/run_say.h"
#include "services/a2f_source/speaker/say_text.h"
#include "services/a2f_source/speaker/speaker.h"
#include "services/a2f_source/voices/voice_catalog.h"

namespace posewire::a2f_source {
namespace {

struct ServeSettings {
  service::GrpcHostOptions grpc;
  client::PushOptions push;  // for every text, except its policy
  bool pulled_only = false;  // nothing is pushed
  SayDefaults defaults;
  SpeakerOptions speaker;
  SayStreamOptions streams;
  std::shared_ptr<VoiceCatalog> voices;
  std::function<absl::StatusOr<std::unique_ptr<Source>>(const SayText& text)> make_source;
  A2fOptions sounds;
};

constexpr char kLivePrebuffer_s[] = "0.03";

using OnConnection = std::function<void(const client::ConnectionEvent&)>;

std::shared_ptr<PushSink> MakePush(client::PushOptions push, const SayText& text,
                                   const OnConnection& on_connection) {
  push.policy = text.policy;
  push.traceparent = text.traceparent;
  // Prebuffering would only add delay.
  if (text.live && push.prebuffer_s.empty()) push.prebuffer_s = kLivePrebuffer_s;
  push.connection.on_event = [told = std::move(push.connection.on_event),
                              on_connection](const client::ConnectionEvent& event) {
    if (told) told(event);
    on_connection(event);
  };
  return std::make_shared<PushSink>(std::move(push));
}

SpeakerOutput MakeOutput(const ServeSettings& settings, PullRegistry* room, const SayText& text,
                         const OnConnection& on_connection) {
  std::shared_ptr<PushSink> push;
  if (!settings.pulled_only) push = MakePush(settings.push, text, on_connection);
  auto served = std::make_shared<ServedSink>(
      room, push,
      ServedSinkOptions{.wait_for_pull = settings.pulled_only,
                        .wait_s = settings.speaker.first_contact_s,
                        .lead_s = settings.pulled_only ? 0 : settings.speaker.lead_s / 2});
  return {served, [push, served] {
            if (push != nullptr) push->Cancel();
            served->Cancel();
          }};
}

// Serves until the process is told to stop; current texts and voices are then stopped. Returns an
// exit code; a stop by a signal is 0.
int RunServe(const ServeSettings& settings, service::Process& process, const service::Logger& log) {
  const auto authorizer = service::OpenAuthorizer(settings.grpc, log);
  if (!authorizer.ok()) return service::FailToStart(log, authorizer.status());
  PullRegistry room(log);
  room.AddStream(settings.defaults.text.ids.stream_id);
  ControlCalls control(settings.push.connection);
  const ActivityTempo tempo(settings.push.connection);
  SpeakerParts parts;
  parts.make_source = settings.make_source;
  if (!settings.pulled_only) {
    parts.speed_of = [&tempo](const SayText& text) {
      return tempo.Of(text.ids.stream_id, text.ids.target_id, text.speed);
    };
  }
  parts.make_output = [&](const SayText& text, const OnConnection& told) {
    return MakeOutput(settings, &room, text, told);
  };
  parts.stop_request = [&control](const RunIds& ids,
                                  std::function<void(const absl::Status&)> done) {
    control.Stop(ids.stream_id, ids.request_id, std::move(done));
  };
  if (!settings.pulled_only) {
    parts.carry_out = [&control](const RunIds& ids, const speech::TextMark& mark,
                                 std::function<void(const absl::Status&)> done) {
      const bool gesture = mark.kind == speech::TextMark::kGesture;
      control.SetVariable(ids.stream_id, ids.target_id,
                          gesture ? "gesture_state" : "facial_gesture_state", mark.name,
                          std::move(done));
    };
  }
  parts.log = log;
  Speaker speaker(settings.speaker, std::move(parts));
  SourceService service(&speaker, settings.voices.get(), settings.defaults, settings.streams,
                        *authorizer, log);
  A2fServices sounds(settings.sounds,
                     {.network = speech::SpeechNetwork::Builtin(),
                      .make_output =
                          [&](const std::string& traceparent, const OnConnection& told) {
                            SayText text = settings.defaults.text;
                            text.traceparent = traceparent;
                            return MakeOutput(settings, &room, text, told);
                          },
                      .authorizer = *authorizer,
                      .log = log});
  std::vector<grpc::Service*> services = sounds.services();
  services.push_back(&service);
  auto host = PullHost::Start(settings.grpc, services, &room, *authorizer, log);
  if (!host.ok()) return service::FailToStart(log, host.status());
  (*host)->grpc().AnnounceReady();
  process.WaitForStop();
  (*host)->grpc().Drain([&](double budget_s) {
    const double end_s = client::SteadySeconds() + budget_s;
    sounds.Close(std::min(1.0, budget_s));
    speaker.Close(end_s - client::SteadySeconds());
    service.Close(end_s - client::SteadySeconds());
    room.Drain(end_s - client::SteadySeconds());
  });
  return 0;
}

// Each field is a flag, an environment variable and a config key; see --help.
struct ServeCommand : service::Command {
  ServeCommand(const SourceSettings& source, const VoiceConfig& speaks)
      : Command("serve",
                "Speaks texts, and makes faces of voices, that come over gRPC, at 127.0.0.1:51002.",
                {"a2f_source serve --stream-id s1"}),
        source(source),
        speaks(speaks) {}

  // For incoming texts.
  int max_text_bytes = 4096;
  int max_waiting = 8;
  int max_text_streams = 64;
  double text_idle_s = 60;
  int max_speakers = 16;
  // For incoming voices.
  bool ace_compat = false;
  int max_sounds = 32;
  double max_sound_s = 300;
  double sound_idle_s = 30;
  const SourceSettings& source;
  const VoiceConfig& speaks;

  void Declare(service::Flags& flags) override;
  int Run(service::Process& process, const service::Logger& log) override;

 private:
  // Texts without a stream go to a random UUID, unless a stream was configured.
  ServeSettings Serve(std::shared_ptr<VoiceCatalog> voices, const service::Logger& log) const;
  // For a text that is still being written, or a voice of the client's.
  absl::StatusOr<std::unique_ptr<Source>> MakeOpenSource(VoiceCatalog& voices,
                                                         const SayText& text) const;
};

void ServeCommand::Declare(service::Flags& flags) {
  flags.OnlyFor({name});
  flags.Group("Texts that come");
  flags.Add("max-text-bytes", &max_text_bytes, "Longest text that is accepted.",
            {.min = 1, .max = static_cast<double>(speech::kMaxSpeechTextBytes)});
  flags.Add("max-waiting", &max_waiting, "Texts that may wait for one avatar.",
            {.min = 0, .max = 1000});
  flags.Add("max-text-streams", &max_text_streams,
            "Calls of SayStream at once: texts that are still being written.",
            {.min = 1, .max = 1000});
  flags.Add("text-idle-s", &text_idle_s,
            "Seconds after which a call of SayStream that sends no part is ended.",
            {.min = 0.1, .max = 3600});
  flags.Add("max-speakers", &max_speakers, "Avatars that speak at once.", {.min = 1, .max = 256});
  flags.Group("Voices that come");
  flags.Add("ace-compat", &ace_compat,
            "Listens where ACE's Audio2Face does, at 127.0.0.1:52000, unless --listen is given.");
  flags.Add("max-sounds", &max_sounds, "Voices at once.", {.min = 1, .max = 1000});
  flags.Add("max-sound-s", &max_sound_s, "Longest voice that is accepted.",
            {.min = 1, .max = 86400});
  flags.Add("sound-idle-s", &sound_idle_s,
            "Seconds after which a call that sends no voice, or reads no face, is ended.",
            {.min = 0.1, .max = 3600});
}

int ServeCommand::Run(service::Process& process, const service::Logger& log) {
  auto voices = speaks.Open(/*patient=*/std::isinf(source.Rate()));
  if (!voices.ok()) return service::FailToStart(log, voices.status());
  return RunServe(Serve(*std::move(voices), log), process, log);
}

ServeSettings ServeCommand::Serve(std::shared_ptr<VoiceCatalog> voices,
                                  const service::Logger& log) const {
  ServeSettings serve;
  serve.grpc = source.grpc;
  if (serve.grpc.listen.empty()) {
    serve.grpc.listen = ace_compat ? "127.0.0.1:52000" : "127.0.0.1:51002";
  }
  serve.push = source.Push(log);
  serve.pulled_only = source.pulled_only();
  serve.defaults.text.ids = source.Ids();
  serve.defaults.text.ids.request_id.clear();
  serve.defaults.text.voice = speaks.voice;
  serve.defaults.text.language = speaks.language;
  serve.defaults.text.speed = speaks.speed;
  serve.defaults.check_text = [voices](absl::string_view voice, absl::string_view clean) {
    return voices->CheckText(voice, clean);
  };
  serve.defaults.text.policy = source.policy.empty() ? "queue" : source.policy;
  serve.defaults.max_text_bytes = static_cast<size_t>(max_text_bytes);
  serve.speaker.max_waiting = max_waiting;
  serve.speaker.max_avatars = max_speakers;
  serve.speaker.rate = source.Rate();
  serve.speaker.lead_s = source.lead_s;
  serve.speaker.answer_s = source.lead_s + 0.1;
  A2fOptions& sounds = serve.sounds;
  sounds.max_sounds = max_sounds;
  sounds.idle_s = sound_idle_s;
  sounds.source.fps = source.Fps();
  sounds.source.seed = static_cast<uint64_t>(source.seed);
  sounds.source.max_sound_s = max_sound_s;
  sounds.head = source.body;
  sounds.ids = serve.defaults.text.ids;
  // A voice arrives at its own pace, and its face follows as soon as it is made.
  sounds.pace = Pacer(source.rate.empty() ? std::numeric_limits<double>::infinity() : source.Rate(),
                      source.lead_s);
  sounds.first_contact_s = serve.speaker.first_contact_s;
  serve.voices = voices;
  // So that the first text without a voice need not wait for the list.
  if (speaks.voice.empty()) voices->ListSoon([](const VoiceCatalog::Listing&) {});
  serve.defaults.check_voice = [voices](absl::string_view voice) { return voices->Check(voice); };
  serve.streams.max_calls = max_text_streams;
  serve.streams.idle_s = text_idle_s;
  serve.make_source = [this,
                       voices](const SayText& text) -> absl::StatusOr<std::unique_ptr<Source>> {
    if (text.stream != nullptr) return MakeOpenSource(*voices, text);
    SayOptions options = MakeSayOptions(source, speaks, {text.language, text.speed});
    options.on_clause = text.on_clause;
    return MakeSaySource(*voices, text.voice, text.text, std::move(options));
  };
  return serve;
}

absl::StatusOr<std::unique_ptr<Source>> ServeCommand::MakeOpenSource(VoiceCatalog& voices,
                                                                     const SayText& text) const {
  SayOptions options = MakeSayOptions(source, speaks, {text.language, text.speed});
  options.on_clause = text.on_clause;
  options.live = text.live;
  std::unique_ptr<speech::Voice> voice;
  if (text.sound_rate_hz == 0) {
    auto made = voices.Make(text.voice, text.language);
    if (!made.ok()) return made.status();
    voice = *std::move(made);
    // A piece is spoken once it is complete, and the text may arrive slowly.
    speech::ClauseLimits clauses = voices.ClausesOf(text.voice);
    clauses.short_start = true;
    clauses.most = std::min(clauses.most, speech::kSlowVoiceLimits.most);
    clauses.words = speech::kSlowVoiceLimits.words;
    text.stream->SetManner(text.language, clauses);
    options.clauses = clauses;
  }
  return SaySource::MakeOpen(text.stream, std::move(voice), options, text.ids.request_id,
                             text.sound_rate_hz);
}

}  // namespace

std::unique_ptr<service::Command> MakeServe(const SourceSettings& source,
                                            const VoiceConfig& speaks) {
  return std::make_unique<ServeCommand>(source, speaks);
}

}  // namespace posewire::a2f_source
