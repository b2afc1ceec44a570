// a2f_source: pushes a clip, a spoken text, audio with its face or a performer to an anim_graph,
// serves it to pulls, or writes it to a file.
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "libs/service/catch_exceptions.h"
#include "libs/service/command.h"
#include "libs/service/flags/flags.h"
#include "libs/service/http/probes.h"
#include "libs/service/metrics/process_metrics.h"
#include "libs/service/process.h"
#include "libs/service/shell.h"
#include "services/a2f_source/commands.h"

namespace {

namespace service = posewire::service;
namespace a2f_source = posewire::a2f_source;

}  // namespace

static int Run(int argc, char** argv) {
  service::Process process;
  service::ShellOptions shell;
  a2f_source::SourceSettings source;
  a2f_source::VoiceConfig speaks;
  a2f_source::LiveConfig live;
  a2f_source::FaceConfig face;
  const auto play = a2f_source::MakePlay(source);
  const auto say = a2f_source::MakeSay(source, speaks);
  const auto talk = a2f_source::MakeTalk(source, speaks);
  const auto wav = a2f_source::MakeWav(source);
  const auto serve = a2f_source::MakeServe(source, speaks);
  const auto vmc = a2f_source::MakeVmc(source, live);
  const auto livelink = a2f_source::MakeLivelink(source, live, face);
  const auto ifacialmocap = a2f_source::MakeIfacialmocap(source, live, face);
  const service::Commands commands = {play.get(),  say.get(), talk.get(),     wav.get(),
                                      serve.get(), vmc.get(), livelink.get(), ifacialmocap.get()};
  service::Flags flags({.name = "a2f_source",
                        .summary = "Pushes a clip, a spoken text, a sound with its face or a "
                                   "performer to an anim_graph, or serves it to clients that pull.",
                        .examples = service::ExamplesOf(commands)});
  service::AddCommands(commands, flags);
  // In the order of the help.
  source.DeclareTarget(flags);
  play->Declare(flags);
  source.DeclarePace(flags);
  say->Declare(flags);
  talk->Declare(flags);
  speaks.Declare(flags);
  source.DeclareKeys(flags);
  serve->Declare(flags);
  wav->Declare(flags);
  live.Declare(flags);
  vmc->Declare(flags);
  face.Declare(flags);
  livelink->Declare(flags);
  ifacialmocap->Declare(flags);
  flags.OnlyFor({});
  source.grpc.Declare(flags);
  source.http.Declare(flags);
  shell.Declare(flags);
  const auto ended = service::ParseShell(argc, argv, flags, shell, source.grpc.tls, source.tls);
  if (ended) return *ended;
  source.quiet = source.WaitsForFile(isatty(STDERR_FILENO) != 0, flags);
  if (source.quiet) shell.log.level = "warning";
  const service::Logger log(flags.info().name, shell.log);
  service::LogConfig(log, flags);
  source.http.SpeakAs(source.grpc);
  const auto probes = service::ServeProbes(
      source.http, log, source.out == "-" ? stderr : stdout,
      [traffic = source.traffic] { return service::TrafficMetrics("push", *traffic); });
  if (!probes.ok()) return service::FailToStart(log, probes.status());
  return service::ChosenOf(commands, flags).Run(process, log);
}

int main(int argc, char** argv) {
  return service::CatchExceptionsInMain("a2f_source", [&] { return Run(argc, argv); });
}
