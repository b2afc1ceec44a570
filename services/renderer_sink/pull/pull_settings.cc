#include "services/renderer_sink/pull/pull_settings.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/service/address.h"
#include "libs/service/connection_log.h"
#include "libs/service/flags/flags.h"
#include "libs/service/tls_flags.h"
#include "libs/shapes/shape_set.h"
#include "libs/wire/frame_reader.h"

namespace posewire::renderer_sink {
namespace {

absl::Status CheckId(absl::string_view text) { return wire::CheckId("the id", text); }

// Empty: as if not given.
absl::Status CheckOptionalId(absl::string_view text) {
  return text.empty() ? absl::OkStatus() : CheckId(text);
}

absl::Status CheckShapes(absl::string_view name) {
  return name.empty() ? absl::OkStatus() : shapes::CheckSetName(name);
}

std::vector<std::string> Taking() {
  return {"record", "print", "view", "stream", "livelink", "vmc"};
}

}  // namespace

void PullSettings::Declare(service::Flags& flags) {
  const std::vector<std::string> taking_one = {"record", "print", "stream", "livelink", "vmc"};
  flags.OnlyFor(Taking());
  flags.Group("What to pull");
  flags.Add("from", &from,
            "Address of the anim_graph, or of an a2f_source that listens; none: accepts pushes at "
            "--listen.",
            {.value_name = "HOST:PORT|none", .check = service::CheckDialled});
  flags.AddCheck([this] {
    if (!pushed() || !grpc.listen.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--from none: needs --listen, the address that sources push to");
  });
  flags.Add(
      "stream-id", &stream_ids,
      "Stream; view takes several. Without it, view shows every stream, and --from none takes "
      "every push.",
      {.value_name = "ID", .check = CheckId});
  flags.AddCheck([this, taking_one, &flags] {
    const auto one = std::find(taking_one.begin(), taking_one.end(), flags.command());
    if (one == taking_one.end() || stream_ids.size() == 1 || (pushed() && stream_ids.empty())) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(stream_ids.empty()
                                          ? "--stream-id is required"
                                          : "--stream-id: only view takes more than one");
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
  flags.Add("sparse", &sparse,
            "Receive only what changes of a pose, within 0.2 mm a joint, about 1 mm at the "
            "fingertips; auto: not to record and print, which get all values exactly; quantised: "
            "in the fewest bytes.",
            {.choices = {"auto", "on", "off", "quantised"}});
  flags.AddCheck([this, &flags] {
    exact_ = flags.command() == "record" || flags.command() == "print";
    return absl::OkStatus();
  });
  flags.Add(
      "shapes", &shapes,
      absl::StrCat("Write or send the face in the shapes of this set (vmc: instead of --arkit "
                   "and --presets): ",
                   absl::StrJoin(posewire::shapes::BuiltinSetNames(), ", "), "."),
      {.value_name = "SET", .commands = {"record", "vmc"}, .check = CheckShapes});
  service::DeclareDialTls(flags, &tls);
  service::DeclareDialToken(flags, &token_file, &tls, &grpc.allow_plaintext, &from);
  flags.Group("How long");
  flags.Add("duration", &duration_s, "Seconds of stream; 0: no limit.",
            {.value_name = "S", .min = 0, .commands = taking_one});
  flags.Add(
      "until-end", &until_end,
      "End when the server ends the pull; without it, and without --request-id, a stream that "
      "was removed is pulled again.",
      {.commands = taking_one});
  flags.Add("give-up-s", &give_up_s, "Seconds without a server after which to end; 0: never.",
            {.min = 0, .max = 86400});
  flags.Add("keep-alive-s", &keep_alive_s, "Seconds between pings; 0 for servers that forbid them.",
            {.min = 0, .max = 3600});
  flags.Group("Where to");
  flags.Add("to", &to,
            "rtp://HOST:PORT, rtmp://..., srt://... or FILE.mp4 (stream); HOST[:PORT] of a "
            "receiver, once "
            "for each, on this machine unless given, at port 39539 (vmc) or 11111 (livelink).",
            {.value_name = "WHERE", .secret_url = true, .commands = {"stream", "livelink", "vmc"}});
}

void PullSettings::DeclareListening(service::Flags& flags) {
  flags.OnlyFor(Taking());
  flags.Group("What to say");
  flags.Add("late-ms", &late_ms, "Frames later than this count as late.", {.min = 0});
  grpc.Declare(flags);
  http.Declare(flags, "none, but for view 127.0.0.1:8080, with the page");
  flags.OnlyFor({});
}

PushInboxOptions PullSettings::Pushes(bool paced) const {
  return {.ids = {request_id, stream_id(), target_id}, .paced = paced};
}

client::PullOptions PullSettings::Pull(const service::Logger& log) const {
  client::PullOptions pull;
  pull.connection.address = from;
  pull.connection.tls = tls;
  pull.connection.token_file = token_file;
  pull.connection.traffic = traffic;
  pull.connection.keep_alive_s = keep_alive_s;
  pull.connection.reconnect.give_up_s = give_up_s;
  pull.connection.on_event = service::ConnectionLog(log);
  pull.ids.stream_id = stream_id();
  pull.ids.request_id = request_id;
  pull.ids.target_object_id = target_id;
  pull.rig = rig;
  pull.contributions = contributions;
  pull.form = sparse == "quantised"                             ? wire::PoseForm::kQuantised
              : sparse == "off" || (sparse == "auto" && exact_) ? wire::PoseForm::kComplete
                                                                : wire::PoseForm::kSparse;
  return pull;
}

SessionOptions PullSettings::Session() const {
  return {
      .duration_s = duration_s, .until_end = until_end || !request_id.empty(), .pushed = pushed()};
}

}  // namespace posewire::renderer_sink
