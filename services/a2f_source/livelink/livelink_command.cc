// `a2f_source livelink`: takes a face from Epic's Live Link Face.
#include <memory>

#include "libs/livelink/angles.h"
#include "libs/livelink/packet.h"
#include "services/a2f_source/commands.h"
#include "services/a2f_source/livelink/livelink_input.h"
#include "services/a2f_source/request/run_request.h"

namespace posewire::a2f_source {
namespace {

// Each field is a flag, an environment variable and a config key; see --help.
struct LivelinkConfig {
  std::string subject;  // empty: the first that comes
  std::string head = "1,1,1";
};

absl::Status CheckSubject(absl::string_view text) {
  return text.empty() ? absl::OkStatus() : livelink::CheckName("the name", text);
}

absl::Status CheckHead(absl::string_view text) { return livelink::ParseFactors(text).status(); }

struct LivelinkCommand : service::Command {
  LivelinkCommand(const SourceSettings& source, const LiveConfig& live)
      : Command("livelink", "Takes a face from the app Live Link Face on a phone (UDP), live.",
                {"a2f_source livelink --host 0.0.0.0 --allow-plaintext --stream-id s1"}),
        source(source),
        live(live) {}

  LivelinkConfig config;
  const SourceSettings& source;
  const LiveConfig& live;

  void Declare(service::Flags& flags) override {
    flags.OnlyFor({"livelink"});
    flags.Group("Live Link Face");
    flags.Add("subject", &config.subject,
              "Subject to show, the name in the app's settings; the first that comes unless given.",
              {.value_name = "NAME", .check = CheckSubject});
    flags.Add("head", &config.head,
              "Factors of the head's angles: -1 turns the other way, 0 leaves one out.",
              {.value_name = "YAW,PITCH,ROLL", .check = CheckHead});
  }
  int Run(service::Process& process, const service::Logger& log) override;
};

int LivelinkCommand::Run(service::Process& process, const service::Logger& log) {
  LivelinkSessionSettings session;
  session.session.fps = source.Fps(/*otherwise=*/60);
  session.session.hold_s = live.hold_s;
  session.session.gone_s = live.gone_s;
  session.session.pose.mouth_close_jaw = static_cast<float>(live.mouth_close_jaw);
  session.subject = config.subject;
  session.head = *livelink::ParseFactors(config.head);  // already checked
  PullRegistry room(log);
  const auto host = StartPullHost(source, &room, log);
  if (!host.ok()) return service::FailToStart(log, host.status());
  LiveRunSettings run = LiveRun(live, source, log);
  run.protocol = {.port_key = "livelink_port",
                  .port = livelink::kDefaultPort,
                  .listening = "listening for Live Link",
                  .none_yet = "no Live Link datagram has arrived yet"};
  const auto make = [&](VmcOutput* output) { return MakeLivelinkInput(session, output); };
  return RunLive(run, make, host->get(), process, log);
}

}  // namespace

std::unique_ptr<service::Command> MakeLivelink(const SourceSettings& source,
                                               const LiveConfig& live) {
  return std::make_unique<LivelinkCommand>(source, live);
}

}  // namespace posewire::a2f_source
