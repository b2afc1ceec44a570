#include "services/a2f_source/config.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/client/uuid.h"
#include "libs/service/flags.h"
#include "libs/timecode/frame_rate.h"
#include "libs/wire/frame_reader.h"
#include "services/a2f_source/core/pacer.h"
#include "services/a2f_source/core/play_source.h"
#include "services/a2f_source/core/say_source.h"
#include "services/a2f_source/core/speech_flite.h"

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

}  // namespace

void Config::Declare(service::Flags& flags) {
  flags.AddCommand("play", "Plays a clip file.");
  flags.AddPositional("play", "FILE", &file, "Clip: .animdata or .jsonl, - for standard input.",
                      {.required = true});
  flags.AddCommand("say", "Speaks a text, with face and body.");
  flags.AddPositional("say", "TEXT", &text, "What to say.", {.required = true});
  shell.Declare(flags);
  grpc.Declare(flags);
  flags.Group("Where to");
  flags.Add("to", &to, "Address of the anim_graph.", {.value_name = "HOST:PORT"});
  flags.Add("out", &out, "Write a clip file instead: .animdata or .jsonl, - for standard output.",
            {.value_name = "FILE"});
  flags.Add("stream-id", &stream_id, "Stream; a UUID unless given.",
            {.value_name = "ID", .check = CheckId});
  flags.Add("request-id", &request_id, "Request; a UUID unless given.",
            {.value_name = "ID", .check = CheckId});
  flags.Add("target-id", &target_id, "Avatar; the stream's default unless given.",
            {.value_name = "ID", .check = CheckId});
  flags.Add("source-id", &source_id, "Source; the clip's, or a2f_source, unless given.",
            {.value_name = "ID", .check = CheckId});
  flags.Group("How it is sent");
  flags.Add("rate", &rate, "realtime, burst or Nx; burst into a file, else realtime.",
            {.value_name = "RATE", .check = CheckRate});
  flags.Add("loop", &loop, "Start over at the end, with codes that go on.", {.commands = {"play"}});
  flags.Add("lead-s", &lead_s, "Seconds that sending stays ahead of playback.",
            {.min = 0, .max = 30});
  flags.Add("give-up-s", &give_up_s, "End after so long without a server; 0: never.",
            {.min = 0, .max = 86400});
  flags.Add("keep-alive-s", &keep_alive_s, "Seconds between pings; 0 for servers that forbid them.",
            {.min = 0, .max = 3600});
  flags.Add("progress", &progress, "Show progress on a terminal.");
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
  flags.Add("voice", &voice, "Voice of flite.", {.choices = FliteVoices(), .commands = {"say"}});
  flags.Add("speed", &speed, "Rate of speech.", {.min = 0.5, .max = 2, .commands = {"say"}});
  flags.Add("fps", &fps, "Keys a second; 30 to say, 60 for vmc unless given.",
            {.commands = {"say", "vmc"}, .check = CheckFps});
  flags.Add("seed", &seed, "Chooses among the ways to move.", {.commands = {"say"}});
  flags.Add("body", &body, "Move head and hands too.", {.commands = {"say"}});
  vmc.Declare(flags);
}

double Config::Rate() const {
  const std::string text = !rate.empty() ? rate : out.empty() ? "realtime" : "burst";
  return ParseRate(text).value_or(1);  // was checked
}

RunIds Config::Ids() const {
  const auto or_uuid = [](const std::string& id) { return id.empty() ? client::MakeUuid() : id; };
  return {or_uuid(stream_id), or_uuid(request_id), target_id, source_id};
}

client::PushOptions Config::Push(const service::Logger& log) const {
  client::PushOptions push;
  push.connection.address = to;
  push.connection.keep_alive_s = keep_alive_s;
  push.connection.reconnect.give_up_s = give_up_s;
  push.connection.on_event = [log](const client::ConnectionEvent& event) {
    const bool good = event.kind == client::ConnectionEvent::kConnected ||
                      (event.kind == client::ConnectionEvent::kResumed && event.lost_s == 0);
    log.Write(good ? service::LogLevel::kInfo : service::LogLevel::kWarning, "connection",
              {{"what", client::Describe(event)}});
  };
  push.mode = mode;
  push.policy = policy;
  push.prebuffer_s = prebuffer_s;
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
  // What is late is worth nothing to a live stream.
  run.push.keep_s = 0.2;
  if (mode.empty()) run.push.mode = "live";
  if (prebuffer_s.empty()) run.push.prebuffer_s = absl::StrCat(0);
  run.allow_plaintext = grpc.allow_plaintext;
  return run;
}

absl::StatusOr<std::unique_ptr<Source>> MakeSource(const Config& config,
                                                   const std::string& command) {
  if (command == "play") return PlaySource::Open(config.file, {.loop = config.loop});
  auto engine = MakeFliteEngine(config.voice, config.speed);
  if (!engine.ok()) return engine.status();
  auto fps = timecode::ParseFrameRate(config.fps.empty() ? "30" : config.fps);
  if (!fps.ok()) return fps.status();
  return SaySource::Make(
      absl::StrJoin(config.text, " "), *std::move(engine),
      {.fps = *fps, .seed = static_cast<uint64_t>(config.seed), .body = config.body});
}

std::vector<std::string> Notes(const Source& source) {
  const auto* say = dynamic_cast<const SaySource*>(&source);
  return say != nullptr ? say->notes() : std::vector<std::string>();
}

}  // namespace posewire::a2f_source
