#include "services/renderer_sink/pull/pull_settings.h"

#include <arpa/inet.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/other_formats.h"
#include "libs/service/address.h"
#include "libs/service/flags/flags.h"
#include "libs/service/tls_flags.h"
#include "libs/wire/frame_reader.h"
#include "services/renderer_sink/core/avatar_choice.h"

namespace posewire::renderer_sink {
namespace {

absl::Status CheckOut(absl::string_view path) {
  return clipio::FormatOf(path, clipio::FormatUse::kWrite).status();
}

absl::Status CheckId(absl::string_view text) { return wire::CheckId("the id", text); }

// Empty: as if not given.
absl::Status CheckOptionalId(absl::string_view text) {
  return text.empty() ? absl::OkStatus() : CheckId(text);
}

absl::Status CheckAddress(absl::string_view text) {
  unsigned char bytes[sizeof(in6_addr)];
  const std::string address(text);
  if (inet_pton(AF_INET, address.c_str(), bytes) == 1) return absl::OkStatus();
  if (inet_pton(AF_INET6, address.c_str(), bytes) == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is no IP address, such as 10.0.0.5 or fd00::5"));
}

// Of the formats that are not read as clips, the one that is read as a character.
bool IsVrm(absl::string_view path) { return absl::EndsWithIgnoreCase(path, ".vrm"); }

}  // namespace

void Config::Declare(service::Flags& flags) {
  flags.AddCommand("record", "Writes the pull to a clip file, with its voice as WAV beside it.");
  flags.AddPositional("record", "OUT", &out,
                      "Clip: .animdata, .jsonl, or .bvh and others, which are written at the end. "
                      "A file that is there stays: "
                      "take-2.animdata is written then.",
                      {.required = true, .check = CheckOut});
  flags.AddCommand("print", "Prints a line for each frame.");
  flags.AddCommand("view", "Serves a page that shows the avatars live.");
  const std::vector<std::string> connected = {"record", "print", "view", "stream", "vmc"};
  const std::vector<std::string> until_told = {"record", "print", "stream", "vmc"};
  flags.OnlyFor(connected);
  flags.Group("What to pull");
  flags.Add("from", &from,
            "Address of the anim_graph, or of an a2f_source that listens; none: takes what is "
            "pushed to --listen.",
            {.value_name = "HOST:PORT|none", .check = service::CheckDialled});
  flags.AddCheck([this] {
    if (!pushed()) return absl::OkStatus();
    if (requests_only) {
      return absl::InvalidArgumentError(
          "--requests-only asks the server what plays; what is pushed are requests alone");
    }
    if (!grpc.listen.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError("--from none: needs --listen, where it is pushed to");
  });
  flags.Add(
      "stream-id", &stream_ids,
      "Stream; view takes several. Without it, view shows every stream, and --from none takes "
      "every push.",
      {.value_name = "ID", .check = CheckId});
  flags.AddCheck([this, &flags] {
    const std::string& command = flags.command();
    const bool any = command == "view" || command == "render" || command == "faces";
    if (any && stream_ids.size() > size_t{kMostStreams}) {
      return absl::InvalidArgumentError(
          absl::StrCat("--stream-id: at most ", kMostStreams, " streams"));
    }
    if (any || stream_ids.size() == 1) return absl::OkStatus();
    if (pushed() && stream_ids.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(stream_ids.empty() ? "--stream-id is required"
                                                         : "--stream-id: one, but for view");
  });
  flags.Add("request-id", &request_id, "Only while this request plays.",
            {.value_name = "ID", .check = CheckOptionalId});
  flags.Add("target-id", &target_id, "Avatar; the stream's default unless given.",
            {.value_name = "ID", .check = CheckOptionalId});
  flags.Add("rig", &rig, "Rig to be served in; the avatar's own unless given.",
            {.value_name = "NAME"});
  flags.Add("contributions", &contributions,
            "Ask which clips each frame is made of, for render --offsets.",
            {.commands = {"record", "print"}});
  service::DeclareDialTls(flags, &tls);
  service::DeclareDialToken(flags, &token_file, &tls, &grpc.allow_plaintext, {&from, &say_to});
  flags.Group("How long");
  flags.Add("duration", &duration_s, "Seconds of stream; 0: no limit.",
            {.value_name = "S", .min = 0, .commands = until_told});
  flags.Add(
      "until-end", &until_end,
      "End when the server ends the pull; without it, and without --request-id, a stream that "
      "was removed is pulled again.",
      {.commands = until_told});
  flags.Add("give-up-s", &give_up_s, "End after so long without a server; 0: never.",
            {.min = 0, .max = 86400});
  flags.Add("keep-alive-s", &keep_alive_s, "Seconds between pings; 0 for servers that forbid them.",
            {.min = 0, .max = 3600});
  flags.Group("What to record");
  flags.Add("overwrite", &overwrite, "Replace files that are there.", {.commands = {"record"}});
  flags.Add("requests-only", &requests_only,
            "Record only while requests play, each time into a file of its own.",
            {.commands = {"record"}});
  flags.Add("split-usd", &split_usd,
            "Of a .usda: the skeleton as OUT.rig.usda and the animation as OUT.clip.usda.",
            {.commands = {"record"}});
  flags.Add("take-mib", &take_mib,
            "MiB of keys that a clip which is written at its end may hold; then a new take begins.",
            {.min = 1, .max = 1024, .commands = {"record"}});
  flags.AddCheck([this] {
    if (!split_usd || absl::EndsWithIgnoreCase(out, ".usda")) return absl::OkStatus();
    return absl::InvalidArgumentError("--split-usd is for a .usda");
  });
  flags.AddCheck([this] {
    if (!requests_only || out != "-") return absl::OkStatus();
    return absl::InvalidArgumentError("--requests-only writes several files; OUT cannot be -");
  });
  flags.Group("What to view");
  flags.Add("avatar", &avatars,
            "Who is shown: woman, man, or a GLB, VRM, glTF, .usda or .x3d file; woman unless "
            "given. ID=WHO: for the stream of that id alone, or, for view, the avatar "
            "of that target id, or where a stream asks for ID; may be said for several.",
            {.value_name = "WHO", .commands = {"view", "render", "faces", "stream"}});
  flags.AddCheck([this] {
    const absl::StatusOr<AvatarChoice> choice = AvatarChoice::Parse(avatars);
    if (!choice.ok()) {
      return absl::Status(choice.status().code(),
                          absl::StrCat("--avatar: ", choice.status().message()));
    }
    for (const std::string& who : choice->All()) {
      const std::string advice = IsVrm(who) ? "" : clipio::HowToConvert(who);
      if (advice.empty()) continue;
      return absl::InvalidArgumentError(absl::StrCat("--avatar: \"", who, "\": ", advice));
    }
    return absl::OkStatus();
  });
  flags.Add("say-to", &say_to, "Address of an a2f_source serve; with it the page has texts spoken.",
            {.value_name = "HOST:PORT", .commands = {"view"}, .check = service::CheckDialled});
  flags.Add("most-avatars", &most_avatars, "Streams that are shown when none is named.",
            {.min = 1, .max = kMostStreams, .commands = {"view"}});
  flags.Add("keep-s", &keep_s, "Seconds of each avatar that are held for downloads.",
            {.min = 1, .max = 3600, .commands = {"view"}});
  flags.Add("login-hours", &login_hours,
            "With --tokens, hours that a browser stays logged in to the page.",
            {.min = 0.001, .max = 8760, .commands = {"view"}});
  flags.Add("front-door", &doors,
            "IP address of a proxy that is believed about who calls (X-Forwarded-For); one on this "
            "machine always is.",
            {.value_name = "ADDRESS", .commands = {"view"}, .check = CheckAddress});
  flags.Group("Where to");
  flags.Add(
      "to", &to,
      "rtp://HOST:PORT, rtmp://..., srt://... or FILE.mp4 (stream); HOST[:PORT] of a marionette, "
      "127.0.0.1:39539 unless given, once for each (vmc).",
      {.value_name = "WHERE", .secret_url = true, .commands = {"stream", "vmc"}});
  vmc.Declare(flags);
  render.Declare(flags);
  stream.Declare(flags, to);
  flags.Group("What to say");
  flags.Add("summary", &summary, "Print the summary alone.", {.commands = {"print"}});
  flags.Add("late-ms", &late_ms, "Frames later than this count as late.", {.min = 0});
  grpc.Declare(flags);
  http.Declare(flags, "none, but for view 127.0.0.1:8080, with the page");
  flags.OnlyFor({});
  shell.Declare(flags);
}

PushInboxOptions Config::Pushes(bool paced) const {
  return {.ids = {request_id, stream_ids.empty() ? "" : stream_ids.front(), target_id},
          .paced = paced};
}

client::PullOptions Config::Pull(const service::Logger& log) const {
  client::PullOptions pull;
  pull.connection.address = from;
  pull.connection.tls = tls;
  pull.connection.token_file = token_file;
  pull.connection.traffic = traffic;
  pull.connection.keep_alive_s = keep_alive_s;
  pull.connection.reconnect.give_up_s = give_up_s;
  pull.connection.on_event = [log](const client::ConnectionEvent& event) {
    const bool good = event.kind == client::ConnectionEvent::kConnected;
    const service::LogLevel level = event.minor ? service::LogLevel::kDebug
                                    : good      ? service::LogLevel::kInfo
                                                : service::LogLevel::kWarning;
    log.Write(level, "connection",
              {{"stream_id", event.stream_id},
               {"address", event.address},
               {"what", client::Describe(event)}});
  };
  if (!stream_ids.empty()) pull.ids.stream_id = stream_ids.front();
  pull.ids.request_id = request_id;
  pull.ids.target_object_id = target_id;
  pull.rig = rig;
  pull.contributions = contributions || !render.offsets.empty();
  return pull;
}

SessionOptions Config::Session() const {
  return {
      .duration_s = duration_s, .until_end = until_end || !request_id.empty(), .pushed = pushed()};
}

CastOptions Config::Cast() const {
  const AvatarChoice choice = *AvatarChoice::Parse(avatars);
  return render.Cast(choice, choice.Of(stream_ids.empty() ? "" : stream_ids.front()));
}

VmcSinkConfig Config::Vmc() const {
  VmcSinkConfig out = vmc;
  if (!to.empty()) out.to = to;
  return out;
}

ViewOptions Config::View(const service::Logger& log, const std::string& version) const {
  ViewOptions view{.http = http,
                   .pull = Pull(log),
                   .stream_ids = stream_ids,
                   .most_avatars = most_avatars,
                   .late_s = late_ms / 1000,
                   .history = {.seconds = keep_s},
                   .say_to = say_to,
                   .avatars = *AvatarChoice::Parse(avatars),
                   .offsets = render.offsets,
                   .offsets_bytes = static_cast<size_t>(render.offsets_mib) << 20,
                   .background = render.background,
                   .version = version};
  view.http.SpeakAs(grpc);
  view.login = {.life = absl::Hours(login_hours),
                .doors = doors,
                .tls = view.http.tls.any(),
                .origins = http.allowed_origins};
  if (view.http.listen.empty()) view.http.listen = "127.0.0.1:8080";
  // Of any stream: each avatar takes those of its own.
  if (pushed()) (view.pushes = Pushes(/*paced=*/true))->ids.stream_id.clear();
  return view;
}

}  // namespace posewire::renderer_sink
