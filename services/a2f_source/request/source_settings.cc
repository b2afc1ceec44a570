#include "services/a2f_source/request/source_settings.h"

#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/client/uuid.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/skeleton_file.h"
#include "libs/service/address.h"
#include "libs/service/flags/flags.h"
#include "libs/service/tls_flags.h"
#include "libs/skel/body.h"
#include "libs/speech/speech_text.h"
#include "libs/stream/trace.h"
#include "libs/timecode/frame_rate.h"
#include "libs/timecode/smpte.h"
#include "libs/wire/appearance.h"
#include "libs/wire/frame_reader.h"
#include "services/a2f_source/core/pacer.h"
#include "services/a2f_source/core/play_source.h"
#include "services/a2f_source/core/say_source.h"
#include "services/a2f_source/core/skip_to.h"
#include "services/a2f_source/core/wav_source.h"

namespace posewire::a2f_source {
namespace {

absl::Status CheckRate(absl::string_view text) { return ParseRate(text).status(); }

// Empty: the command's own.
absl::Status CheckFps(absl::string_view text) {
  return text.empty() ? absl::OkStatus() : timecode::ParseFrameRate(text).status();
}

// Empty: as if not given.
absl::Status CheckId(absl::string_view text) {
  return text.empty() ? absl::OkStatus() : wire::CheckId("the id", text);
}

absl::Status CheckSeconds(absl::string_view text) {
  double seconds = 0;
  if (absl::SimpleAtod(text, &seconds) && seconds >= 0 && seconds <= 30) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is no number from 0 to 30"));
}

absl::Status CheckTime(absl::string_view text) {
  if (absl::StrContains(text, ':')) return absl::OkStatus();  // at the clip's rate
  return timecode::ParseTime(text, std::nullopt).status();
}

absl::StatusOr<SayOptions> MakeSayOptions(const Config& config,
                                          const speech::SpeechManner& manner) {
  auto fps = timecode::ParseFrameRate(config.fps.empty() ? "30" : config.fps);
  if (!fps.ok()) return fps.status();
  SayOptions options;
  options.fps = *fps;
  options.seed = static_cast<uint64_t>(config.seed);
  options.body = config.body;
  options.manner = manner;
  options.max_gap_s = config.speaks.max_gap_s;
  return options;
}

absl::StatusOr<std::unique_ptr<Source>> MakeSaySource(
    const Config& config, VoiceCatalog& voices, absl::string_view text, absl::string_view voice,
    const speech::SpeechManner& manner, std::function<void(SaidClause)> on_clause = nullptr) {
  auto made = voices.Make(voice, manner.language);
  if (!made.ok()) return made.status();
  auto options = MakeSayOptions(config, manner);
  if (!options.ok()) return options.status();
  options->clauses = voices.ClausesOf(voice);
  options->on_clause = std::move(on_clause);
  return SaySource::Make(text, *std::move(made), *options);
}

// Of a text that is still being written, or a voice of the caller's.
absl::StatusOr<std::unique_ptr<Source>> MakeOpenSource(const Config& config, VoiceCatalog& voices,
                                                       const SayText& text) {
  auto options = MakeSayOptions(config, {text.language, text.speed});
  if (!options.ok()) return options.status();
  options->on_clause = text.on_clause;
  options->live = text.live;
  std::unique_ptr<speech::Voice> voice;
  if (text.sound_rate_hz == 0) {
    auto made = voices.Make(text.voice, text.language);
    if (!made.ok()) return made.status();
    voice = *std::move(made);
    // A piece is spoken once it is complete, and the text may come slowly.
    speech::ClauseLimits clauses = voices.ClausesOf(text.voice);
    clauses.short_start = true;
    clauses.most = std::min(clauses.most, speech::kSlowVoiceLimits.most);
    clauses.words = speech::kSlowVoiceLimits.words;
    text.stream->SetManner(text.language, clauses);
    options->clauses = clauses;
  }
  return SaySource::MakeOpen(text.stream, std::move(voice), *options, text.ids.request_id,
                             text.sound_rate_hz);
}

absl::StatusOr<std::unique_ptr<Source>> MakeWavSource(const Config& config,
                                                      std::function<bool()> stopped) {
  speech::SoundFaceOptions options;
  options.seed = static_cast<uint64_t>(config.seed);
  options.head = config.body;
  auto fps = timecode::ParseFrameRate(config.fps.empty() ? "30" : config.fps);
  if (!fps.ok()) return fps.status();
  options.fps = *fps;
  auto tuning = config.wav.Tuning();
  if (!tuning.ok()) return tuning.status();
  options.tuning = *tuning;
  auto network = config.wav.Network();
  if (!network.ok()) return network.status();
  auto input = config.wav.Open(std::move(stopped));
  if (!input.ok()) return input.status();
  return WavSource::Make(*std::move(input), *std::move(network), options);
}

}  // namespace

void Config::Declare(service::Flags& flags) {
  flags.AddCommand("play", "Plays a clip file.");
  flags.AddPositional("play", "FILE", &file,
                      absl::StrCat("Clip: ", clipio::FormatEndings(clipio::FormatUse::kRead),
                                   ", - for standard input."),
                      {.required = true});
  flags.AddCommand("say", "Speaks a text, with face and body.");
  flags.AddPositional("say", "TEXT", &text, "What to say.", {.required = true});
  flags.AddCommand("talk", "Has several avatars of a stream speak in turn, as a file says.");
  flags.AddPositional("talk", "FILE", &file,
                      "Lines such as anna [slt]: Hello, Ben. The voice need be said once.",
                      {.required = true});
  wav.DeclareCommand(flags);
  flags.AddCommand("serve",
                   "Speaks texts, and makes faces of voices, that come over gRPC, at "
                   "127.0.0.1:51002.");
  const std::vector<std::string> one_after_another = {"play", "say", "vmc", "wav"};
  flags.Group("Where to");
  flags.Add("to", &to,
            "Address of the anim_graph, or of a renderer_sink that listens; none: only for those "
            "who pull from --listen, from the first pull on.",
            {.value_name = "HOST:PORT|none", .check = service::CheckDialled});
  flags.Add(
      "out", &out,
      absl::StrCat("Write a clip file instead: ", clipio::FormatEndings(clipio::FormatUse::kWrite),
                   ", - for standard output."),
      {.value_name = "FILE", .commands = one_after_another});
  flags.AddCheck([this, &flags] {
    if (!pulled_only() || !out.empty() || !grpc.listen.empty() || flags.command() == "serve") {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError("--to none: needs --listen, where it is pulled from");
  });
  flags.AddCheck([this] {
    if (!loop || out.empty() || out == "-") return absl::OkStatus();
    return absl::InvalidArgumentError("--loop: never ends, and --out would fill the disk");
  });
  flags.Add("stream-id", &stream_id, "Stream; a UUID unless given. For serve, of texts without.",
            {.value_name = "ID", .check = CheckId});
  flags.Add("request-id", &request_id, "Request; a UUID unless given.",
            {.value_name = "ID", .commands = one_after_another, .check = CheckId});
  flags.Add(
      "target-id", &target_id, "Avatar; the stream's default unless given.",
      {.value_name = "ID", .commands = {"play", "say", "serve", "vmc", "wav"}, .check = CheckId});
  flags.Add("source-id", &source_id, "Source; the clip's, or a2f_source, unless given.",
            {.value_name = "ID", .check = CheckId});
  flags.Add("traceparent", &traceparent,
            "Trace that this is part of (W3C Trace Context); sent on, and told in logs.",
            {.value_name = "00-TRACE-SPAN-FLAGS",
             .rare = true,
             .commands = {"play", "say", "talk", "vmc", "wav"},
             .check = stream::CheckTraceparent});
  const std::vector<std::string> shown = {"play", "say", "serve", "wav"};
  flags.Add("character", &character,
            "Who is to be shown: woman, man, or a name that the sinks know.",
            {.value_name = "NAME", .commands = shown, .check = wire::CheckCharacter});
  flags.Add("look", &look, "Choices of the character's parts, such as hair=long,skin=dark.",
            {.value_name = "PART=CHOICE", .commands = shown, .check = [](absl::string_view text) {
               return wire::ParseLook(text).status();
             }});
  service::DeclareDialTls(flags, &tls);
  service::DeclareDialToken(flags, &token_file, &tls, &grpc.allow_plaintext, &to);
  flags.Group("How it is sent");
  flags.Add("rate", &rate, "realtime, burst or Nx; burst into a file alone, else realtime.",
            {.value_name = "RATE", .check = CheckRate});
  flags.Add("loop", &loop, "Start over at the end, with codes that go on.",
            {.commands = {"play", "talk"}});
  flags.Add("prim", &prim,
            "Of a stage: the prim whose animation is played; the first that moves a skeleton "
            "unless given. Of a glTF file: the animation, by its name or number.",
            {.value_name = "PATH|NAME", .commands = {"play"}});
  flags.Add(
      "rig", &rig,
      "Rig that a clip on a skeleton of its own (BVH, USD, glTF, X3D) is carried over to; none: it "
      "is sent on its own.",
      {.value_name = "NAME|FILE|none", .commands = {"play"}});
  flags.Add("rest", &rest,
            "File with the clip's skeleton at rest (.glb, .vrm, .usda, .bvh), where the clip has "
            "none of its own.",
            {.value_name = "FILE", .commands = {"play"}});
  flags.Add("map", &map,
            "File of lines JOINT = BONE, where the names of the clip's joints say too little.",
            {.value_name = "FILE", .commands = {"play"}});
  flags.Add("up", &up,
            "Axis of the clip that is up (x, y, z, -x, -y, -z); auto: the one along which its "
            "skeleton stands at rest.",
            {.value_name = "AXIS", .commands = {"play"}, .check = skel::CheckUp});
  flags.Add("unit", &unit,
            "Unit of length of the clip: m, cm, mm, in, ft, or metres as a number. Default: chosen "
            "so that its skeleton has a person's height.",
            {.value_name = "UNIT", .commands = {"play"}, .check = skel::CheckUnit});
  flags.Add("from", &from,
            "Where in the clip to begin: seconds, or HH:MM:SS:FF at its rate (HH:MM:SS;FF is "
            "drop-frame).",
            {.value_name = "TIME", .commands = {"play"}, .check = CheckTime});
  flags.Add("lead-s", &lead_s, "Seconds that sending stays ahead of playback.",
            {.min = 0, .max = 30});
  flags.Add("give-up-s", &give_up_s, "End after so long without a server; 0: never.",
            {.min = 0, .max = 86400});
  flags.Add("keep-alive-s", &keep_alive_s, "Seconds between pings; 0 for servers that forbid them.",
            {.min = 0, .max = 3600});
  flags.Add("progress", &progress, "Show progress on a terminal.",
            {.commands = {"play", "say", "talk", "wav"}});
  flags.Group("How it plays");
  flags.Add("mode", &mode,
            "stall holds when late, live shows the newest; the server's unless given.",
            {.choices = {"", "stall", "live"}});
  flags.Add("policy", &policy, "queue or interrupt; the server's unless given.",
            {.choices = {"", "queue", "interrupt"}});
  flags.Add("prebuffer-s", &prebuffer_s,
            "Seconds held before it starts; the server's unless given.",
            {.value_name = "S", .check = CheckSeconds});
  flags.Group("Speech");
  speaks.Declare(flags);
  flags.Add("fps", &fps,
            "Keys a second; 60 for vmc, else 30, unless given. For play: the rate of a .bvh or "
            ".a2f.json, or of Live Link Face's time codes, in place of the file's.",
            {.commands = {"play", "say", "serve", "talk", "vmc", "wav"}, .check = CheckFps});
  flags.Add("seed", &seed, "Chooses among the ways to move.",
            {.commands = {"say", "serve", "talk", "wav"}});
  flags.Add("body", &body, "Move the head and announce gestures too; for wav the head.",
            {.commands = {"say", "serve", "talk", "wav"}});
  flags.Group("Texts that come");
  flags.Add(
      "max-text-bytes", &max_text_bytes, "Longest text that is taken.",
      {.min = 1, .max = static_cast<double>(speech::kMaxSpeechTextBytes), .commands = {"serve"}});
  flags.Add("max-waiting", &max_waiting, "Texts of one avatar that wait.",
            {.min = 0, .max = 1000, .commands = {"serve"}});
  flags.Add("max-text-streams", &max_text_streams,
            "Calls of SayStream at once: texts that are still being written.",
            {.min = 1, .max = 1000, .commands = {"serve"}});
  flags.Add("text-idle-s", &text_idle_s,
            "Seconds after which a call of SayStream ends that sends no part.",
            {.min = 0.1, .max = 3600, .commands = {"serve"}});
  flags.Add("max-speakers", &max_speakers, "Avatars that speak at once.",
            {.min = 1, .max = 256, .commands = {"serve"}});
  wav.Declare(flags);
  flags.Group("Voices that come");
  flags.Add("ace-compat", &ace_compat,
            "Listens where ACE's Audio2Face does, at 127.0.0.1:52000, unless --listen says else.",
            {.commands = {"serve"}});
  flags.Add("max-sounds", &max_sounds, "Voices at once.",
            {.min = 1, .max = 1000, .commands = {"serve"}});
  flags.Add("max-sound-s", &max_sound_s, "Longest voice that is taken.",
            {.min = 1, .max = 86400, .commands = {"serve"}});
  flags.Add("sound-idle-s", &sound_idle_s,
            "A call that sends no voice, or takes no face, for so long ends.",
            {.min = 0.1, .max = 3600, .commands = {"serve"}});
  vmc.Declare(flags);
  grpc.Declare(flags);
  http.Declare(flags);
  shell.Declare(flags);
}

double Config::Rate() const {
  const bool is_pulled = pulled_only() && !grpc.listen.empty();
  const std::string text = !rate.empty() ? rate : out.empty() || is_pulled ? "realtime" : "burst";
  return ParseRate(text).value_or(1);  // was checked
}

bool Config::QuietAt(bool terminal, const service::Flags& flags) const {
  if (!terminal || out.empty() || flags.command() == "serve" || flags.command() == "vmc") {
    return false;
  }
  for (const service::FlagValue& flag : flags.Effective()) {
    if (flag.name == "log-level" && flag.origin != service::FlagOrigin::kDefault) return false;
  }
  return true;
}

RunIds Config::Ids() const {
  const auto or_uuid = [](const std::string& id) { return id.empty() ? client::MakeUuid() : id; };
  return {or_uuid(stream_id),
          or_uuid(request_id),
          target_id,
          source_id,
          {character, *wire::ParseLook(look)}};  // was checked
}

client::PushOptions Config::Push(const service::Logger& log) const {
  client::PushOptions push;
  push.connection.address = to;
  push.connection.tls = tls;
  push.connection.token_file = token_file;
  push.connection.traffic = traffic;
  push.connection.keep_alive_s = keep_alive_s;
  push.connection.reconnect.give_up_s = give_up_s;
  push.connection.on_event = [log](const client::ConnectionEvent& event) {
    const bool good = event.kind == client::ConnectionEvent::kConnected ||
                      (event.kind == client::ConnectionEvent::kResumed && event.lost_s == 0);
    const service::LogLevel level = event.minor ? service::LogLevel::kDebug
                                    : good      ? service::LogLevel::kInfo
                                                : service::LogLevel::kWarning;
    log.Write(level, "connection",
              {{"stream_id", event.stream_id},
               {"address", event.address},
               {"what", client::Describe(event)}});
  };
  push.mode = mode;
  push.policy = policy;
  push.prebuffer_s = prebuffer_s;
  push.traceparent = traceparent;
  return push;
}

VmcRunSettings Config::Vmc(const service::Logger& log) const {
  VmcRunSettings run;
  run.vmc = vmc;
  run.fps = timecode::ParseFrameRate(fps.empty() ? "60" : fps).value_or(run.fps);  // was checked
  run.ids = Ids();
  run.rate = Rate();
  run.out = out;
  run.push = Push(log);
  run.pulled_only = pulled_only();
  // What is late is worth nothing to a live stream.
  run.push.keep_s = 0.2;
  if (mode.empty()) run.push.mode = "live";
  if (prebuffer_s.empty()) run.push.prebuffer_s = absl::StrCat(0);
  run.allow_plaintext = grpc.allow_plaintext;
  return run;
}

ServeSettings Config::Serve(std::shared_ptr<VoiceCatalog> voices,
                            const service::Logger& log) const {
  ServeSettings serve;
  serve.grpc = grpc;
  if (serve.grpc.listen.empty()) {
    serve.grpc.listen = ace_compat ? "127.0.0.1:52000" : "127.0.0.1:51002";
  }
  serve.push = Push(log);
  serve.pulled_only = pulled_only();
  serve.defaults.text.ids = Ids();
  serve.defaults.text.ids.request_id.clear();
  serve.defaults.text.voice = speaks.voice;
  serve.defaults.text.language = speaks.language;
  serve.defaults.text.speed = speaks.speed;
  serve.defaults.check_text = [voices](absl::string_view voice, absl::string_view clean) {
    return voices->CheckText(voice, clean);
  };
  serve.defaults.text.policy = policy.empty() ? "queue" : policy;
  serve.defaults.max_text_bytes = static_cast<size_t>(max_text_bytes);
  serve.speaker.max_waiting = max_waiting;
  serve.speaker.max_avatars = max_speakers;
  serve.speaker.rate = Rate();
  serve.speaker.lead_s = lead_s;
  serve.speaker.answer_s = lead_s + 0.1;
  A2fOptions& sounds = serve.sounds;
  sounds.max_sounds = max_sounds;
  sounds.idle_s = sound_idle_s;
  sounds.source.fps =
      timecode::ParseFrameRate(fps.empty() ? "30" : fps).value_or(sounds.source.fps);
  sounds.source.seed = static_cast<uint64_t>(seed);
  sounds.source.max_sound_s = max_sound_s;
  sounds.head = body;
  sounds.ids = serve.defaults.text.ids;
  // A voice comes when it comes, and its face follows it as fast as it is made.
  sounds.pace = Pacer(rate.empty() ? std::numeric_limits<double>::infinity() : Rate(), lead_s);
  sounds.first_contact_s = serve.speaker.first_contact_s;
  serve.voices = voices;
  // So that the first text that names no voice need not wait for the list.
  if (speaks.voice.empty()) voices->ListSoon([](const VoiceCatalog::Listing&) {});
  serve.defaults.check_voice = [voices](absl::string_view voice) { return voices->Check(voice); };
  serve.streams.max_calls = max_text_streams;
  serve.streams.idle_s = text_idle_s;
  serve.make_source = [config = *this, voices](const SayText& text) {
    return text.stream != nullptr ? MakeOpenSource(config, *voices, text)
                                  : MakeSaySource(config, *voices, text.text, text.voice,
                                                  {text.language, text.speed}, text.on_clause);
  };
  return serve;
}

namespace {

// A built-in rig by its name, or else a rig file.
absl::Status FindRigs(const Config& config, PlayOptions& options) {
  if (config.rig == "none") {
    if (config.map.empty() && config.rest.empty() && config.up == "auto" && config.unit.empty()) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        "--map, --rest, --up and --unit say how a clip is carried over to a rig, and --rig is "
        "none");
  }
  auto rigs = skel::RigCatalog::Builtin("arkit68");
  if (!rigs.ok()) return rigs.status();
  options.rigs = *std::move(rigs);
  auto rig = options.rigs.Find(config.rig);
  if (!rig.ok() && absl::StrContains(config.rig, '.')) rig = clipio::ReadSkeleton(config.rig);
  if (!rig.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--rig: ", rig.status().message()));
  }
  options.rig = *std::move(rig);
  if (config.up != "auto") options.retarget.upright = skel::UprightFrom(config.up);
  if (!config.unit.empty()) options.retarget.unit_m = skel::LengthOfUnit(config.unit);
  if (!config.map.empty()) {
    auto map = retarget::JointMap::Read(config.map);
    if (!map.ok())
      return absl::InvalidArgumentError(absl::StrCat("--map: ", map.status().message()));
    options.retarget.map = std::make_shared<const retarget::JointMap>(*std::move(map));
  }
  if (config.rest.empty()) return absl::OkStatus();
  auto rest = clipio::ReadSkeleton(config.rest);
  if (!rest.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--rest: ", rest.status().message()));
  }
  options.retarget.rest = *std::move(rest);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Source>> MakeSource(const Config& config, const std::string& command,
                                                   VoiceCatalog* voices,
                                                   std::function<bool()> stopped) {
  if (command == "play") {
    std::optional<timecode::FrameRate> fps;
    if (!config.fps.empty()) fps = *timecode::ParseFrameRate(config.fps);  // was checked
    const absl::StatusOr<double> from_s = TimeInClip(config.from, config.file, stopped, fps);
    if (!from_s.ok()) {
      return absl::Status(from_s.status().code(),
                          absl::StrCat("--from: ", from_s.status().message()));
    }
    PlayOptions options{.loop = config.loop, .from_s = *from_s, .fps = fps, .prim = config.prim};
    options.stopped = std::move(stopped);
    if (absl::Status s = FindRigs(config, options); !s.ok()) return s;
    return PlaySource::Open(config.file, options);
  }
  if (command == "wav") return MakeWavSource(config, std::move(stopped));
  return MakeSaySource(config, *voices, absl::StrJoin(config.text, " "), config.speaks.voice,
                       {config.speaks.language, config.speaks.speed});
}

}  // namespace posewire::a2f_source
