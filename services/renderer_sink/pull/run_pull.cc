#include "services/renderer_sink/pull/run_pull.h"

#include <poll.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "libs/service/access/token_file.h"
#include "libs/service/http/probes.h"
#include "libs/service/metrics/process_metrics.h"
#include "services/renderer_sink/pull/cast_pull.h"
#include "services/renderer_sink/pull/push_host.h"

namespace posewire::renderer_sink {
namespace {

using client::PullClient;

// The current pull, shared with the thread that stops it.
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

// Returns the exit code.
int Summarize(const std::vector<std::string>& lines, bool began, std::FILE* out,
              const absl::Status& status, const service::Logger& log) {
  const bool printed = std::all_of(lines.begin(), lines.end(),
                                   [out](const std::string& line) { return PrintLine(out, line); });
  // A pull that was rejected because of its parameters never began.
  if (!began && absl::IsInvalidArgument(status)) {
    return service::FailToStart(log, status);
  }
  if (!status.ok()) return service::Fail(log, status);
  if (printed && std::ferror(out) == 0) return 0;
  return service::Fail(log, absl::UnavailableError("cannot write the summary"));
}

int RunCast(const PullSettings& settings, const PullRun& run, PushHost& host,
            service::Process& process, const service::Logger& log) {
  SessionOptions session = settings.Session();
  const bool until_end = std::exchange(session.until_end, true);
  CastPull pull({.pull = run.options,
                 .session = session,
                 .until_end = until_end,
                 .stopped = [&process] { return process.StopRequested(); }},
                log);
  const auto cast = run.make_cast(pull.FirstTarget());
  if (!cast.ok()) return service::FailToStart(log, cast.status());
  if (host.grpc() != nullptr) host.grpc()->AnnounceReady(run.ready);
  const absl::Status status = pull.Run(**cast);
  return Summarize(pull.Summaries(settings.late_ms / 1000), pull.began(), run.summary, status, log);
}

}  // namespace

bool PrintLine(std::FILE* out, const std::string& line) {
  constexpr int kPatience_ms = 1000;
  pollfd room{fileno(out), POLLOUT, 0};
  if (out == stderr && poll(&room, 1, kPatience_ms) != 1) return false;
  return std::fprintf(out, "%s\n", line.c_str()) >= 0 && std::fflush(out) == 0;
}

int RunPull(const PullSettings& settings, const PullRun& run, service::Process& process,
            const service::Logger& log) {
  std::optional<PushInbox> pushes;
  if (settings.pushed()) pushes.emplace(settings.Pushes(/*paced=*/run.live));
  service::HttpOptions http = settings.http;
  http.SpeakAs(settings.grpc);
  const auto probes =
      service::ServeProbes(http, log, run.ready, [traffic = settings.traffic, &run] {
        std::vector<service::Metric> metrics = service::TrafficMetrics("pull", *traffic);
        if (run.metrics) {
          for (service::Metric& metric : run.metrics()) metrics.push_back(std::move(metric));
        }
        return metrics;
      });
  if (!probes.ok()) return service::FailToStart(log, probes.status());
  PushHost host(settings, pushes ? &*pushes : nullptr, log);
  auto authorizer = service::OpenAuthorizer(settings.grpc, log);
  if (!authorizer.ok()) return service::FailToStart(log, authorizer.status());
  if (absl::Status status = host.Start(*std::move(authorizer)); !status.ok()) {
    return service::FailToStart(log, status);
  }
  if (run.make_cast) {
    const int code = RunCast(settings, run, host, process, log);
    host.Close(/*enough=*/code == 0 && !process.StopRequested());
    return code;
  }
  const auto consumer = run.make();
  if (!consumer.ok()) return service::FailToStart(log, consumer.status());
  auto current = std::make_shared<CurrentPull>();
  if (host.grpc() != nullptr) host.grpc()->AnnounceReady(run.ready);
  const auto open = [&]() -> NextEvent {
    if (pushes) {
      return [&pushes](double timeout_s, auto* event) { return pushes->Next(timeout_s, event); };
    }
    auto client = std::make_shared<PullClient>(run.options);
    current->Set(client);
    if (process.StopRequested()) client->Cancel();
    return [client](double timeout_s, auto* event) { return client->Next(timeout_s, event); };
  };
  process.OnStop([current] { current->Cancel(); });
  StreamStats stats(pushes.has_value(), settings.traffic.get());
  const absl::Status status = RunSession(settings.Session(),
                                         {.open = open,
                                          .now_s = client::SteadySeconds,
                                          .stopped = [&] { return process.StopRequested(); },
                                          .log = log},
                                         **consumer, stats);
  current->Set(nullptr);

  const int code =
      Summarize({stats.Summary(settings.late_ms / 1000)}, stats.began(), run.summary, status, log);
  host.Close(/*enough=*/code == 0 && !process.StopRequested());
  return code;
}

}  // namespace posewire::renderer_sink
