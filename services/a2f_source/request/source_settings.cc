#include "services/a2f_source/request/source_settings.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/client/uuid.h"
#include "libs/clipio/clip_format.h"
#include "libs/service/address.h"
#include "libs/service/connection_log.h"
#include "libs/service/tls_flags.h"
#include "libs/stream/trace.h"
#include "libs/wire/appearance.h"
#include "libs/wire/frame_reader.h"
#include "services/a2f_source/core/pacer.h"

namespace posewire::a2f_source {
namespace {

absl::Status CheckRate(absl::string_view text) { return ParseRate(text).status(); }

// Empty: the command's own default.
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

void SourceSettings::DeclareTarget(service::Flags& flags) {
  const std::vector<std::string> one_after_another = {"play",     "say", "ifacialmocap",
                                                      "livelink", "vmc", "wav"};
  flags.OnlyFor({});
  flags.Group("Where to");
  flags.Add("to", &to,
            "Address of the anim_graph, or of a renderer_sink that listens; none: only serves "
            "clients that pull from --listen, and starts when the first does.",
            {.value_name = "HOST:PORT|none", .check = service::CheckDialled});
  flags.Add(
      "out", &out,
      absl::StrCat("Write a clip file instead: ", clipio::FormatEndings(clipio::FormatUse::kWrite),
                   ", - for standard output."),
      {.value_name = "FILE", .commands = one_after_another});
  flags.AddCheck([this, &flags] {
    const bool listens = !grpc.listen.empty() || flags.command() == "serve";
    if (!pulled_only() || !out.empty() || listens) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--to none: needs --listen, the address that clients pull from");
  });
  flags.Add("stream-id", &stream_id,
            "Stream; a UUID unless given. For serve: the stream of texts that name none.",
            {.value_name = "ID", .check = CheckId});
  flags.Add("request-id", &request_id, "Request; a UUID unless given.",
            {.value_name = "ID", .commands = one_after_another, .check = CheckId});
  flags.Add("target-id", &target_id, "Avatar; the stream's default unless given.",
            {.value_name = "ID",
             .commands = {"play", "say", "serve", "ifacialmocap", "livelink", "vmc", "wav"},
             .check = CheckId});
  flags.Add("source-id", &source_id, "Source; the clip's, or a2f_source, unless given.",
            {.value_name = "ID", .check = CheckId});
  flags.Add("traceparent", &traceparent,
            "Trace that this is part of (W3C Trace Context); sent on, and written to logs.",
            {.value_name = "00-TRACE-SPAN-FLAGS",
             .rare = true,
             .commands = {"play", "say", "talk", "ifacialmocap", "livelink", "vmc", "wav"},
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
  flags.Add(
      "rate", &rate,
      "realtime, burst or Nx. Unless given: burst when only a file is written, else realtime.",
      {.value_name = "RATE", .check = CheckRate});
  flags.Add("loop", &loop, "Start over at the end; time codes continue.",
            {.commands = {"play", "talk"}});
}

void SourceSettings::DeclarePace(service::Flags& flags) {
  flags.OnlyFor({});
  flags.Group("How it is sent");
  flags.Add("lead-s", &lead_s, "Seconds that sending stays ahead of playback.",
            {.min = 0, .max = 30});
  flags.Add("give-up-s", &give_up_s, "Seconds without a server after which to end; 0: never.",
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
}

void SourceSettings::DeclareKeys(service::Flags& flags) {
  flags.Add(
      "fps", &fps,
      "Keys a second; 60 for ifacialmocap, livelink and vmc, else 30, unless given. For play: the "
      "rate of a .bvh or .a2f.json, or of Live Link Face's time codes, in place of the file's.",
      {.commands = {"play", "say", "serve", "talk", "ifacialmocap", "livelink", "vmc", "wav"},
       .check = CheckFps});
  flags.Add("seed", &seed, "Chooses among the ways to move.",
            {.commands = {"say", "serve", "talk", "wav"}});
  flags.Add("body", &body, "Move the head and announce gestures too; for wav: move the head.",
            {.commands = {"say", "serve", "talk", "wav"}});
}

double SourceSettings::Rate() const {
  const bool is_pulled = pulled_only() && !grpc.listen.empty();
  const std::string text = !rate.empty() ? rate : out.empty() || is_pulled ? "realtime" : "burst";
  return ParseRate(text).value_or(1);  // already checked
}

bool SourceSettings::WaitsForFile(bool terminal, const service::Flags& flags) const {
  bool shows_progress = false;
  for (const service::FlagValue& flag : flags.Effective()) {
    if (flag.name == "log-level" && flag.origin != service::FlagOrigin::kDefault) return false;
    if (flag.name == "progress") shows_progress = true;
  }
  return terminal && !out.empty() && shows_progress;
}

timecode::FrameRate SourceSettings::Fps(int otherwise) const {
  if (fps.empty()) return {otherwise, 1};
  return *timecode::ParseFrameRate(fps);  // already checked
}

RunIds SourceSettings::Ids() const {
  const auto or_uuid = [](const std::string& id) { return id.empty() ? client::MakeUuid() : id; };
  return {or_uuid(stream_id),
          or_uuid(request_id),
          target_id,
          source_id,
          {character, *wire::ParseLook(look)}};  // already checked
}

client::PushOptions SourceSettings::Push(const service::Logger& log) const {
  client::PushOptions push;
  push.connection.address = to;
  push.connection.tls = tls;
  push.connection.token_file = token_file;
  push.connection.traffic = traffic;
  push.connection.keep_alive_s = keep_alive_s;
  push.connection.reconnect.give_up_s = give_up_s;
  push.connection.on_event = service::ConnectionLog(log);
  push.mode = mode;
  push.policy = policy;
  push.prebuffer_s = prebuffer_s;
  push.traceparent = traceparent;
  return push;
}

}  // namespace posewire::a2f_source
