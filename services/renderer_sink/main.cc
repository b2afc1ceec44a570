// renderer_sink: pulls an avatar from an anim_graph, and records or prints what comes.
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "libs/service/flags.h"
#include "libs/service/process.h"
#include "services/renderer_sink/config.h"
#include "services/renderer_sink/consumers.h"
#include "services/renderer_sink/session.h"
#include "services/renderer_sink/view_command.h"

namespace {

namespace service = posewire::service;
namespace sink = posewire::renderer_sink;
using posewire::client::PullClient;
using posewire::client::PullEvent;

// The pull that runs now, shared with the thread that stops it.
struct CurrentPull {
  std::mutex mutex;
  std::shared_ptr<PullClient> client;

  void Set(std::shared_ptr<PullClient> next) {
    std::lock_guard lock(mutex);
    client.swap(next);
  }
  void Cancel() {
    std::lock_guard lock(mutex);
    if (client) client->Cancel();
  }
};

}  // namespace

int main(int argc, char** argv) {
  service::Process process;
  sink::Config config;
  service::Flags flags({.name = "renderer_sink",
                        .summary = "Pulls avatars from an anim_graph and records, prints or shows "
                                   "them.",
                        .examples = {"renderer_sink record take.animdata --stream-id s1",
                                     "renderer_sink print --stream-id s1 --duration 5",
                                     "renderer_sink view --stream-id s1"}});
  config.Declare(flags);
  if (std::optional<int> code = service::ParseShell(argc, argv, flags, config.shell)) return *code;
  service::Logger log(flags.info().name, config.shell.log);
  service::LogConfig(log, flags);
  const bool print = flags.command() == "print";

  std::unique_ptr<service::GrpcHost> host;
  if (!config.grpc.listen.empty()) {
    auto started = service::GrpcHost::Start(config.grpc, {}, log);
    if (!started.ok()) return service::Fail(log, started.status());
    host = *std::move(started);
    if (flags.command() != "view") host->AnnounceReady(print ? stderr : stdout);
  }
  if (flags.command() == "view") {
    return sink::RunView(config.View(log, flags.info().version), host.get(), process, log);
  }
  std::unique_ptr<sink::Consumer> consumer;
  sink::RecordConsumer* record = nullptr;
  if (print) {
    consumer = std::make_unique<sink::PrintConsumer>(stdout, !config.summary);
  } else {
    auto made = sink::RecordConsumer::Create({.path = config.out}, log);
    if (!made.ok()) return service::Fail(log, made.status());
    record = made->get();
    consumer = *std::move(made);
  }
  auto current = std::make_shared<CurrentPull>();
  const auto open = [&]() -> std::function<std::optional<PullEvent>(double)> {
    auto client = std::make_shared<PullClient>(config.Pull(log));
    current->Set(client);
    if (process.StopRequested()) client->Cancel();
    return [client](double timeout_s) { return client->Next(timeout_s); };
  };
  process.OnStop([current] { current->Cancel(); });
  sink::StreamStats stats;
  const absl::Status status = sink::RunSession(config.Session(),
                                               {.open = open,
                                                .now_s = posewire::client::SteadySeconds,
                                                .stopped = [&] { return process.StopRequested(); },
                                                .log = log},
                                               *consumer, stats);
  current->Set(nullptr);

  // Beside the frames' lines the summary would be taken for one of them.
  std::FILE* out = print && !config.summary ? stderr : stdout;
  std::fprintf(out, "%s\n", stats.Summary(config.late_ms / 1000).c_str());
  if (record != nullptr) {
    for (const std::string& file : record->files()) std::fprintf(out, "wrote %s\n", file.c_str());
  }
  if (!status.ok()) return service::Fail(log, status);
  if (std::fflush(out) == 0 && std::ferror(out) == 0) return 0;
  return service::Fail(log, absl::UnavailableError("cannot write the summary"));
}
