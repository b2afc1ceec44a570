// renderer_sink: pulls avatars, or accepts pushes; records, prints or shows them, or drives
// marionettes.
#include <optional>

#include "libs/service/catch_exceptions.h"
#include "libs/service/command.h"
#include "libs/service/flags/flags.h"
#include "libs/service/process.h"
#include "libs/service/shell.h"
#include "services/renderer_sink/commands.h"

namespace {

namespace service = posewire::service;
namespace sink = posewire::renderer_sink;

}  // namespace

static int Run(int argc, char** argv) {
  service::Process process;
  service::ShellOptions shell;
  sink::PullSettings pull;
  sink::DrawSettings draw;
  sink::DriveConfig drive;
  const auto record = sink::MakeRecord(pull);
  const auto print = sink::MakePrint(pull);
  const auto view = sink::MakeView(pull, draw);
  const auto vmc = sink::MakeVmc(pull, drive);
  const auto livelink = sink::MakeLivelink(pull, drive);
  const auto render = sink::MakeRender(draw);
  const auto faces = sink::MakeFaces(draw);
  const auto stream = sink::MakeStream(pull, draw);
  const service::Commands commands = {record.get(),   print.get(),  view.get(),  vmc.get(),
                                      livelink.get(), render.get(), faces.get(), stream.get()};
  service::Flags flags({.name = "renderer_sink",
                        .summary = "Pulls avatars, or takes what is pushed, and records, prints or "
                                   "shows them, streams them as films, or drives VMC programs and "
                                   "Unreal with them.",
                        .examples = service::ExamplesOf(commands)});
  service::AddCommands(commands, flags);
  // In the order of the help.
  pull.Declare(flags);
  record->Declare(flags);
  print->Declare(flags);
  draw.DeclareCamera(flags);
  view->Declare(flags);
  drive.Declare(flags);
  vmc->Declare(flags);
  livelink->Declare(flags);
  render->Declare(flags);
  draw.DeclareLook(flags);
  faces->Declare(flags);
  stream->Declare(flags);
  pull.DeclareListening(flags);
  shell.Declare(flags);
  if (const auto ended = service::ParseShell(argc, argv, flags, shell, pull.grpc.tls, pull.tls)) {
    return *ended;
  }
  const service::Logger log(flags.info().name, shell.log);
  service::Command& command = service::ChosenOf(commands, flags);
  if (command.logs_settings) service::LogConfig(log, flags);
  return command.Run(process, log);
}

int main(int argc, char** argv) {
  return service::CatchExceptionsInMain("renderer_sink", [&] { return Run(argc, argv); });
}
