// `renderer_sink vmc`: drives VMC marionettes with what it pulls.
#include <memory>

#include "services/renderer_sink/commands.h"
#include "services/renderer_sink/pull/run_pull.h"
#include "services/renderer_sink/vmc/vmc_consumer.h"

namespace posewire::renderer_sink {
namespace {

struct VmcCommand : service::Command {
  VmcCommand(const PullSettings& pull, const DriveConfig& drive)
      : Command("vmc", "Drives VMC marionettes (OSC over UDP).",
                {"renderer_sink vmc --to 127.0.0.1:39539 --stream-id s1"}),
        pull(pull),
        drive(drive) {}

  VmcSinkConfig vmc;
  const PullSettings& pull;
  const DriveConfig& drive;

  void Declare(service::Flags& flags) override { vmc.Declare(flags); }
  int Run(service::Process& process, const service::Logger& log) override;
};

int VmcCommand::Run(service::Process& process, const service::Logger& log) {
  PullRun run{.options = pull.Pull(log), .live = true};
  run.make = [&]() -> absl::StatusOr<std::unique_ptr<Consumer>> {
    if (!pull.to.empty()) vmc.to = pull.to;
    vmc.shapes = pull.shapes;
    vmc.send_hz = drive.send_hz;
    vmc.mouth_close_jaw = drive.mouth_close_jaw;
    return VmcConsumer::Create(vmc, pull.grpc.allow_plaintext, log);
  };
  return RunPull(pull, run, process, log);
}

}  // namespace

std::unique_ptr<service::Command> MakeVmc(const PullSettings& pull, const DriveConfig& drive) {
  return std::make_unique<VmcCommand>(pull, drive);
}

}  // namespace posewire::renderer_sink
