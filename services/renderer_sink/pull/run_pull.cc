#include "services/renderer_sink/pull/run_pull.h"

#include <poll.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/service/access/token_file.h"
#include "libs/service/http/probes.h"
#include "libs/service/metrics/process_metrics.h"
#include "services/renderer_sink/grpc/request_probe.h"
#include "services/renderer_sink/pull/push_host.h"
#include "services/renderer_sink/record/record_consumer.h"
#include "services/renderer_sink/session/session.h"
#include "services/renderer_sink/stream/live_film.h"
#include "services/renderer_sink/vmc/vmc_consumer.h"

namespace posewire::renderer_sink {
namespace {

using client::PullClient;

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

// False when it cannot be written. Nobody who leaves standard error unread holds this up: it is
// given up after a while.
bool PrintLine(std::FILE* out, const std::string& line) {
  constexpr int kPatience_ms = 1000;
  pollfd room{fileno(out), POLLOUT, 0};
  if (out == stderr && poll(&room, 1, kPatience_ms) != 1) return false;
  return std::fprintf(out, "%s\n", line.c_str()) >= 0 && std::fflush(out) == 0;
}

// The exit code.
int Summarize(const StreamStats& stats, const Config& config, std::FILE* out,
              const absl::Status& status, const service::Logger& log) {
  const bool printed = PrintLine(out, stats.Summary(config.late_ms / 1000));
  // A pull that was refused for what was asked never began.
  if (!stats.began() && absl::IsInvalidArgument(status)) {
    return service::FailToStart(log, status);
  }
  if (!status.ok()) return service::Fail(log, status);
  if (printed && std::ferror(out) == 0) return 0;
  return service::Fail(log, absl::UnavailableError("cannot write the summary"));
}

}  // namespace

int RunPull(const Config& config, const std::string& command, service::Process& process,
            const service::Logger& log) {
  const bool print = command == "print";
  std::optional<PushInbox> pushes;
  const bool live = command == "vmc" || command == "stream";
  if (config.pushed()) pushes.emplace(config.Pushes(/*paced=*/live));
  service::HttpOptions http = config.http;
  http.SpeakAs(config.grpc);
  const auto probes = service::ServeProbes(
      http, log, print || config.out == "-" ? stderr : stdout,
      [traffic = config.traffic] { return service::TrafficMetrics("pull", *traffic); });
  if (!probes.ok()) return service::FailToStart(log, probes.status());
  PushHost host(config, pushes ? &*pushes : nullptr, log);
  auto authorizer = service::OpenAuthorizer(config.grpc, log);
  if (!authorizer.ok()) return service::FailToStart(log, authorizer.status());
  if (absl::Status status = host.Start(*std::move(authorizer)); !status.ok()) {
    return service::FailToStart(log, status);
  }
  std::unique_ptr<Consumer> consumer;
  std::optional<RequestProbe> probe;
  // Beside the frames' lines other lines would be taken for one of them.
  std::FILE* out = print && !config.summary ? stderr : stdout;
  if (print) {
    consumer = std::make_unique<PrintConsumer>(stdout, !config.summary);
  } else if (command == "vmc") {
    auto made = VmcConsumer::Create(config.Vmc(), config.grpc.allow_plaintext, log);
    if (!made.ok()) return service::FailToStart(log, made.status());
    consumer = *std::move(made);
  } else if (command == "stream") {
    auto film = config.stream.Film(config.to.front(), config.Cast(), config.render);
    if (!film.ok()) return service::FailToStart(log, film.status());
    film->stopped = [&process] { return process.StopRequested(); };
    film->say = [](const std::string& line) { PrintLine(stdout, line); };
    auto made = LiveFilm::Create(*std::move(film), log);
    if (!made.ok()) return service::FailToStart(log, made.status());
    consumer = *std::move(made);
  } else {
    RecordOptions options{
        .recorder = {.path = config.out,
                     .overwrite = config.overwrite,
                     .split_usd = config.split_usd,
                     .most_held_bytes = static_cast<size_t>(config.take_mib) << 20}};
    if (config.out == "-") out = stderr;
    options.written = [out](const std::string& file) {
      PrintLine(out, absl::StrCat("wrote ", file));
    };
    if (config.requests_only) {
      probe.emplace(config.Pull(log).connection);
      options.playing = [&probe](const auto& ids) { return probe->Playing(ids); };
    }
    auto made = RecordConsumer::Create(options, log);
    if (!made.ok()) return service::FailToStart(log, made.status());
    consumer = *std::move(made);
  }
  auto current = std::make_shared<CurrentPull>();
  // What else goes to standard output has nothing else in it.
  const bool taken = print || config.out == "-";
  if (host.grpc() != nullptr) host.grpc()->AnnounceReady(taken ? stderr : stdout);
  const auto open = [&]() -> NextEvent {
    if (pushes) {
      return [&pushes](double timeout_s, auto* event) { return pushes->Next(timeout_s, event); };
    }
    auto client = std::make_shared<PullClient>(config.Pull(log));
    current->Set(client);
    if (process.StopRequested()) client->Cancel();
    return [client](double timeout_s, auto* event) { return client->Next(timeout_s, event); };
  };
  process.OnStop([current] { current->Cancel(); });
  StreamStats stats(pushes.has_value(), config.traffic.get());
  const absl::Status status = RunSession(config.Session(),
                                         {.open = open,
                                          .now_s = client::SteadySeconds,
                                          .stopped = [&] { return process.StopRequested(); },
                                          .log = log},
                                         *consumer, stats);
  current->Set(nullptr);

  const int code = Summarize(stats, config, out, status, log);
  host.Close(/*enough=*/code == 0 && !process.StopRequested());
  return code;
}

}  // namespace posewire::renderer_sink
