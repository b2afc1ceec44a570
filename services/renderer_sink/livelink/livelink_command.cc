// `renderer_sink livelink`: drives a MetaHuman, or another receiver of Live Link Face, with what it
// pulls.
#include <memory>

#include "libs/livelink/angles.h"
#include "services/renderer_sink/commands.h"
#include "services/renderer_sink/livelink/livelink_consumer.h"
#include "services/renderer_sink/pull/run_pull.h"

namespace posewire::renderer_sink {
namespace {

absl::Status CheckSubject(absl::string_view text) { return livelink::CheckName("the name", text); }

absl::Status CheckHead(absl::string_view text) { return livelink::ParseFactors(text).status(); }

struct LivelinkCommand : service::Command {
  LivelinkCommand(const PullSettings& pull, const DriveConfig& drive)
      : Command("livelink", "Drives MetaHumans in Unreal as the app Live Link Face does (UDP).",
                {"renderer_sink livelink --to 192.168.1.20 --subject Anna --stream-id s1"}),
        pull(pull),
        drive(drive) {}

  // Flags.
  std::string subject = "Posewire";
  std::string head = "1,1,1";
  const PullSettings& pull;
  const DriveConfig& drive;

  void Declare(service::Flags& flags) override {
    flags.OnlyFor({"livelink"});
    flags.Group("Live Link Face");
    flags.Add("subject", &subject, "Name by which receivers list the avatar.",
              {.value_name = "NAME", .check = CheckSubject});
    flags.Add("head", &head,
              "Factors of the head's angles: -1 turns the other way, 0 leaves one out.",
              {.value_name = "YAW,PITCH,ROLL", .check = CheckHead});
  }
  int Run(service::Process& process, const service::Logger& log) override;
};

int LivelinkCommand::Run(service::Process& process, const service::Logger& log) {
  PullRun run{.options = pull.Pull(log), .live = true};
  run.make = [&]() -> absl::StatusOr<std::unique_ptr<Consumer>> {
    LivelinkSinkConfig config{.send_hz = drive.send_hz, .subject = subject};
    if (!pull.to.empty()) config.to = pull.to;
    config.face.mouth_close_jaw = static_cast<float>(drive.mouth_close_jaw);
    config.face.head = *livelink::ParseFactors(head);  // already checked
    return LivelinkConsumer::Create(config, log);
  };
  return RunPull(pull, run, process, log);
}

}  // namespace

std::unique_ptr<service::Command> MakeLivelink(const PullSettings& pull, const DriveConfig& drive) {
  return std::make_unique<LivelinkCommand>(pull, drive);
}

}  // namespace posewire::renderer_sink
