// `a2f_source livelink`: takes a face from Epic's Live Link Face.
#include <memory>

#include "libs/livelink/packet.h"
#include "services/a2f_source/commands.h"
#include "services/a2f_source/livelink/livelink_input.h"

namespace posewire::a2f_source {
namespace {

// Each field is a flag, an environment variable and a config key; see --help.
struct LivelinkConfig {
  std::string subject;  // empty: the first that comes
};

absl::Status CheckSubject(absl::string_view text) {
  return text.empty() ? absl::OkStatus() : livelink::CheckName("the name", text);
}

struct LivelinkCommand : service::Command {
  LivelinkCommand(const SourceSettings& source, const LiveConfig& live, const FaceConfig& face)
      : Command("livelink", "Takes a face from the app Live Link Face on a phone (UDP), live.",
                {"a2f_source livelink --host 0.0.0.0 --allow-plaintext --stream-id s1"}),
        source(source),
        live(live),
        face(face) {}

  LivelinkConfig config;
  const SourceSettings& source;
  const LiveConfig& live;
  const FaceConfig& face;

  void Declare(service::Flags& flags) override {
    flags.OnlyFor({"livelink"});
    flags.Group("Live Link Face");
    flags.Add("subject", &config.subject,
              "Subject to show, the name in the app's settings; the first that comes unless given.",
              {.value_name = "NAME", .check = CheckSubject});
  }
  int Run(service::Process& process, const service::Logger& log) override;
};

int LivelinkCommand::Run(service::Process& process, const service::Logger& log) {
  LivelinkSessionSettings session;
  live.Apply(source.Fps(/*otherwise=*/60), session.session);
  session.subject = config.subject;
  session.head = face.Head();
  const LiveProtocol protocol = {.port_key = "livelink_port",
                                 .port = livelink::kDefaultPort,
                                 .listening = "listening for Live Link",
                                 .none_yet = "no Live Link datagram has arrived yet"};
  const auto make = [&](VmcOutput* output) { return MakeLivelinkInput(session, output); };
  return RunLive(protocol, make, live, source, process, log);
}

}  // namespace

std::unique_ptr<service::Command> MakeLivelink(const SourceSettings& source, const LiveConfig& live,
                                               const FaceConfig& face) {
  return std::make_unique<LivelinkCommand>(source, live, face);
}

}  // namespace posewire::a2f_source
