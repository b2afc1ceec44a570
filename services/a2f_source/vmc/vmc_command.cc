// `a2f_source vmc`: takes a performer's live motion by VMC.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "services/a2f_source/commands.h"
#include "services/a2f_source/live/run_live.h"
#include "services/a2f_source/vmc/vmc_config.h"
#include "services/a2f_source/vmc/vmc_input.h"

namespace posewire::a2f_source {
namespace {

constexpr int kMarionettePort = 39539;

struct VmcCommand : service::Command {
  VmcCommand(const SourceSettings& source, const LiveConfig& live)
      : Command("vmc", "Takes a performer's motion by VMC (OSC over UDP), live.",
                {"a2f_source vmc --port 39539 --stream-id s1"}),
        source(source),
        live(live) {}

  VmcSourceConfig vmc;
  const SourceSettings& source;
  const LiveConfig& live;

  void Declare(service::Flags& flags) override { vmc.Declare(flags); }
  int Run(service::Process& process, const service::Logger& log) override;
};

int VmcCommand::Run(service::Process& process, const service::Logger& log) {
  auto session = vmc.Session(live, source.Fps(/*otherwise=*/60));
  if (!session.ok()) return service::FailToStart(log, session.status());
  // Made from a request id, so that it is unique, and the same each time for --request-id.
  const size_t source_hash = std::hash<std::string>()(source.Ids().request_id);
  session->extras_source = absl::StrFormat("%08x", static_cast<uint32_t>(source_hash));
  if (!vmc.ask.empty() && !live.replay.empty()) {
    return service::FailToStart(
        log, absl::InvalidArgumentError("--ask: in a --replay, there is no performer to ask"));
  }
  const LiveProtocol protocol = {.port_key = "vmc_port",
                                 .port = kMarionettePort,
                                 .listening = "listening for VMC",
                                 .none_yet = "no VMC datagram has arrived yet",
                                 .performer_port = vmc.performer,
                                 .performing = "listening as a VMC performer"};
  const AskedPerformer asked{vmc.ask, vmc.asker};
  const auto make = [&](VmcOutput* output) { return MakeVmcInput(*session, asked, output); };
  return RunLive(protocol, make, live, source, process, log);
}

}  // namespace

std::unique_ptr<service::Command> MakeVmc(const SourceSettings& source, const LiveConfig& live) {
  return std::make_unique<VmcCommand>(source, live);
}

}  // namespace posewire::a2f_source
