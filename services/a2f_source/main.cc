// a2f_source: pushes a clip, a spoken text, a sound with its face or a performer to an anim_graph,
// serves it to those who pull, or writes it to a file.
#include <unistd.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "libs/service/access/token_file.h"
#include "libs/service/contain.h"
#include "libs/service/flags/flags.h"
#include "libs/service/http/probes.h"
#include "libs/service/metrics/process_metrics.h"
#include "libs/service/process.h"
#include "services/a2f_source/pulls/pull_host.h"
#include "services/a2f_source/request/run_request.h"
#include "services/a2f_source/request/source_settings.h"
#include "services/a2f_source/talk/talk_command.h"

namespace {

namespace service = posewire::service;
namespace a2f_source = posewire::a2f_source;

}  // namespace

static int Run(int argc, char** argv) {
  service::Process process;
  a2f_source::Config config;
  service::Flags flags(
      {.name = "a2f_source",
       .summary = "Pushes a clip, a spoken text, a sound with its face or a performer to an "
                  "anim_graph, or serves it to those who pull.",
       .examples = {
           "a2f_source say \"Hello there\" --stream-id s1", "a2f_source play take.animdata --loop",
           "a2f_source serve --stream-id s1", "a2f_source wav speech.flac --stream-id s1",
           "arecord -f S16_LE -r 16000 | a2f_source wav - --stream-id s1",
           "a2f_source vmc --port 39539 --stream-id s1", "a2f_source talk talk.txt --stream-id s1",
           "a2f_source say \"Hello\" --out hello.jsonl",
           "a2f_source say \"Hello\" --to none --listen 127.0.0.1:51003"}});
  config.Declare(flags);
  const auto ended =
      service::ParseShell(argc, argv, flags, config.shell, config.grpc.tls, config.tls);
  if (ended) return *ended;
  const bool quiet = config.QuietAt(isatty(STDERR_FILENO) != 0, flags);
  if (quiet) config.shell.log.level = "warning";
  service::Logger log(flags.info().name, config.shell.log);
  service::LogConfig(log, flags);
  config.http.SpeakAs(config.grpc);
  const auto probes = service::ServeProbes(
      config.http, log, config.out == "-" ? stderr : stdout,
      [traffic = config.traffic] { return service::TrafficMetrics("push", *traffic); });
  if (!probes.ok()) return service::FailToStart(log, probes.status());

  const std::string& command = flags.command();
  std::shared_ptr<a2f_source::VoiceCatalog> voices;
  if (command == "say" || command == "serve" || command == "talk") {
    auto opened = config.speaks.Open(/*patient=*/std::isinf(config.Rate()));
    if (!opened.ok()) return service::FailToStart(log, opened.status());
    voices = *std::move(opened);
  }
  if (command == "serve") return a2f_source::RunServe(config.Serve(voices, log), process, log);
  a2f_source::PullRoom room(log);
  std::unique_ptr<a2f_source::PullHost> host;
  if (!config.grpc.listen.empty()) {
    auto authorizer = service::OpenAuthorizer(config.grpc, log);
    if (!authorizer.ok()) return service::FailToStart(log, authorizer.status());
    auto started = a2f_source::PullHost::Start(config.grpc, {}, &room, *authorizer, log);
    if (!started.ok()) return service::FailToStart(log, started.status());
    host = *std::move(started);
  }
  if (command == "talk") return a2f_source::RunTalk(config, *voices, process, log);
  if (command == "vmc") {
    return a2f_source::RunVmc(config.Vmc(log), host.get(), process, log);
  }
  return a2f_source::RunOnce(config, command, quiet, voices.get(), host.get(), process, log);
}

int main(int argc, char** argv) {
  return service::ContainMain("a2f_source", [&] { return Run(argc, argv); });
}
