// renderer_sink: pulls avatars, or takes what is pushed; records, prints or shows them, or drives
// others.
#include <optional>
#include <string>

#include "libs/service/contain.h"
#include "libs/service/flags/flags.h"
#include "libs/service/process.h"
#include "services/renderer_sink/pull/pull_settings.h"
#include "services/renderer_sink/pull/run_pull.h"
#include "services/renderer_sink/render/render_clip.h"
#include "services/renderer_sink/view/view_command.h"

namespace {

namespace service = posewire::service;
namespace sink = posewire::renderer_sink;

}  // namespace

static int Run(int argc, char** argv) {
  service::Process process;
  sink::Config config;
  service::Flags flags(
      {.name = "renderer_sink",
       .summary = "Pulls avatars, or takes what is pushed, and records, prints or "
                  "shows them, streams them as films, or drives VMC programs with them.",
       .examples = {"renderer_sink record take.animdata --stream-id s1",
                    "renderer_sink record take.animdata --from none --listen "
                    "127.0.0.1:51004",
                    "renderer_sink print --stream-id s1 --duration 5",
                    "renderer_sink view --stream-id s1",
                    "renderer_sink view --from none --listen 127.0.0.1:51004",
                    "renderer_sink render take.animdata take.mp4",
                    "renderer_sink stream --to rtmp://127.0.0.1/live/demo --stream-id s1",
                    "renderer_sink stream --to rtp://127.0.0.1:5004 --sdp demo.sdp --stream-id s1",
                    "renderer_sink stream --to take.mp4 --stream-id s1 --duration 10",
                    "renderer_sink vmc --to 127.0.0.1:39539 --stream-id s1"}});
  config.Declare(flags);
  const auto ended =
      service::ParseShell(argc, argv, flags, config.shell, config.grpc.tls, config.tls);
  if (ended) return *ended;
  service::Logger log(flags.info().name, config.shell.log);
  if (flags.command() == "render")
    return sink::RunRender(config.render, config.Cast(), process, log);
  if (flags.command() == "faces") return sink::RunFaces(config.render, config.Cast(), process, log);
  service::LogConfig(log, flags);
  if (flags.command() == "view") return sink::RunView(config, flags.info().version, process, log);
  return sink::RunPull(config, flags.command(), process, log);
}

int main(int argc, char** argv) {
  return service::ContainMain("renderer_sink", [&] { return Run(argc, argv); });
}
