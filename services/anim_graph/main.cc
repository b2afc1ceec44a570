// anim_graph: blends the animation streams of sources per avatar, and serves all pulls.
#include <memory>
#include <optional>
#include <string>

#include "libs/service/access/token_file.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/flags/flags.h"
#include "libs/service/grpc_host.h"
#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "libs/service/shell.h"
#include "services/anim_graph/ace_events.h"
#include "services/anim_graph/config.h"
#include "services/anim_graph/graph_command.h"
#include "services/anim_graph/grpc/grpc_api.h"
#include "services/anim_graph/http/http_api.h"
#include "services/anim_graph/log_observer.h"
#include "services/anim_graph/relay/relay.h"
#include "services/anim_graph/runtime/graph_watcher.h"
#include "services/anim_graph/runtime/readiness.h"
#include "services/anim_graph/snapshots/proto_snapshots.h"

namespace service = posewire::service;
namespace anim_graph = posewire::anim_graph;

static int Run(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "graph") {
    return anim_graph::RunGraphCommand(argc - 1, argv + 1);
  }
  service::Process process;
  anim_graph::Config config;
  service::Flags flags(anim_graph::Config::About());
  config.Declare(flags);
  const auto ended =
      service::ParseShell(argc, argv, flags, config.shell, config.grpc.tls, config.dial_tls);
  if (ended) return *ended;
  service::Logger log(flags.info().name, config.shell.log);
  process.ForceAfter(config.grpc.drain_timeout_s + 1.5);
  config.ApplyProfile(flags);
  service::LogConfig(log, flags);
  if (config.ace_compat && config.redis.empty()) {
    log.Warning("without --redis, ACE's controller is not told when a request ends");
  }
  auto made = anim_graph::MakeParts(config, [&process] { return process.StopRequested(); });
  if (absl::IsCancelled(made.status())) return 0;
  if (!made.ok()) return service::FailToStart(log, made.status());
  made->LogNotes(config, log);
  for (const std::string& note : made->graphs->TakeNotes()) log.Warning("note", {{"text", note}});
  anim_graph::LogObserver observer(log);
  anim_graph::EventHub events(&observer);
  made->parts.observer = &events;
  const auto authorizer = service::OpenAuthorizer(config.grpc, log);
  if (!authorizer.ok()) return service::FailToStart(log, authorizer.status());
  const auto directory = anim_graph::OpenDirectory(config.directory, config.grpc.listen, log);
  if (!directory.ok()) return service::FailToStart(log, directory.status());
  made->parts.directory = directory->get();
  if ((*directory)->shared()) made->parts.snapshots = anim_graph::MakeProtoSnapshots;
  anim_graph::Workers workers(config.workers, made->parts, log);
  anim_graph::CallParts calls = config.Calls(log);
  calls.workers = &workers;
  calls.authorizer = authorizer->get();
  calls.directory = directory->get();
  calls.capacity = made->parts.capacity;
  anim_graph::Relay relay(config.PeerConnection(), config.grpc.max_streams_per_connection, calls);
  calls.peers = &relay;
  anim_graph::GraphWatcher watcher(made->graphs.get(), &workers, &events, log);
  anim_graph::Control control(calls, made->graphs.get(), &events);
  auto ace_events = anim_graph::AceEvents::Start(config.redis, &events, log);
  if (!ace_events.ok()) return service::FailToStart(log, ace_events.status());
  auto api = anim_graph::GrpcApi::Start(config.grpc, &control, &relay, config.A2f(), log);
  if (!api.ok()) return service::FailToStart(log, api.status());
  service::GrpcHost& host = (*api)->host();
  anim_graph::Readiness readiness(made->parts);
  anim_graph::Metrics metrics(&workers, made->parts.capacity, &host.connections(),
                              &(*directory)->counters(), &relay.counts(), log);
  auto http = anim_graph::HttpApi::Start(config.http, &control, &readiness, &metrics,
                                         flags.info().version, log);
  if (!http.ok()) (*directory)->Close();  // calls may wait for it already
  if (!http.ok()) return service::FailToStart(log, http.status());
  (*directory)->Serve(host.address(), [&control](const auto& lost) { control.EndStream(lost); });
  host.AnnounceReady(stdout, (*http)->port(), (*http)->probes_port());
  process.WaitForStop();
  readiness.Stop();
  host.Drain([&](double) {
    (*directory)->ClaimNoMore();
    workers.EndStreams(config.grpc.drain_timeout_s - anim_graph::kEndingOfCalls_s);
    control.CloseIntake();
    workers.Drain();
    relay.Close();
    (*directory)->Close();
    events.Close();
    (*http)->Drain(1.0);
  });
  return 0;
}

int main(int argc, char** argv) {
  return service::CatchExceptionsInMain("anim_graph", [&] { return Run(argc, argv); });
}
