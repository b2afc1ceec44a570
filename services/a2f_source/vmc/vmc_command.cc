// `a2f_source vmc`: takes a performer's live motion by VMC.
#include <memory>

#include "services/a2f_source/commands.h"
#include "services/a2f_source/request/run_request.h"
#include "services/a2f_source/vmc/run_vmc.h"
#include "services/a2f_source/vmc/vmc_config.h"

namespace posewire::a2f_source {
namespace {

struct VmcCommand : service::Command {
  explicit VmcCommand(const SourceSettings& source)
      : Command("vmc", "Takes a performer's motion by VMC (OSC over UDP), live.",
                {"a2f_source vmc --port 39539 --stream-id s1"}),
        source(source) {}

  VmcSourceConfig vmc;
  const SourceSettings& source;

  void Declare(service::Flags& flags) override { vmc.Declare(flags); }
  int Run(service::Process& process, const service::Logger& log) override;
};

int VmcCommand::Run(service::Process& process, const service::Logger& log) {
  PullRegistry room(log);
  const auto host = StartPullHost(source, &room, log);
  if (!host.ok()) return service::FailToStart(log, host.status());
  VmcRunSettings run;
  run.vmc = vmc;
  run.fps = source.Fps(/*otherwise=*/60);
  run.ids = source.Ids();
  run.rate = source.Rate();
  run.out = source.out;
  run.push = source.Push(log);
  run.pulled_only = source.pulled_only();
  // Late data is useless in a live stream.
  run.push.keep_s = 0.2;
  if (source.mode.empty()) run.push.mode = "live";
  if (source.prebuffer_s.empty()) run.push.prebuffer_s = "0";
  run.allow_plaintext = source.grpc.allow_plaintext;
  return RunVmc(run, host->get(), process, log);
}

}  // namespace

std::unique_ptr<service::Command> MakeVmc(const SourceSettings& source) {
  return std::make_unique<VmcCommand>(source);
}

}  // namespace posewire::a2f_source
