#include "services/a2f_source/request/run_request.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libs/client/connection.h"
#include "libs/program/terminal_text.h"
#include "libs/service/access/token_file.h"
#include "libs/service/traced_log.h"
#include "services/a2f_source/core/pacer.h"
#include "services/a2f_source/pulls/served_sink.h"
#include "services/a2f_source/request/progress.h"
#include "services/a2f_source/request/sinks.h"
#include "services/a2f_source/request/stop_clock.h"

namespace posewire::a2f_source {
namespace {

// Time for a stopped push to send its status and be answered.
constexpr std::chrono::seconds kStop{1};

// Returns null if there are only pulls. A push that has not ended a while after a stop, because its
// server does not read, is cut off. `ended` becomes ready when the push has
// ended.
std::shared_ptr<MessageSink> MakeSink(const SourceSettings& settings,
                                      std::shared_future<void> ended, service::Process& process,
                                      const service::Logger& log) {
  if (!settings.out.empty()) return std::make_shared<FileSink>(settings.out);
  if (settings.pulled_only()) return nullptr;
  auto push = std::make_shared<PushSink>(settings.Push(log));
  process.OnStop([push, ended = std::move(ended)] {
    ended.wait_for(kStop);
    push->Cancel();
  });
  return push;
}

int Stopped(const service::Process& process, const service::Logger& log) {
  log.Info("stopped by a signal", {{"signal", process.signal()}});
  return 128 + process.signal();
}

}  // namespace

absl::StatusOr<std::unique_ptr<PullHost>> StartPullHost(const SourceSettings& settings,
                                                        PullRegistry* room,
                                                        const service::Logger& log) {
  if (settings.grpc.listen.empty()) return nullptr;
  auto authorizer = service::OpenAuthorizer(settings.grpc, log);
  if (!authorizer.ok()) return authorizer.status();
  return PullHost::Start(settings.grpc, {}, room, *std::move(authorizer), log);
}

int RunRequest(const SourceSettings& settings, const MakeSource& make, PullHost* host,
               service::Process& process, const service::Logger& log) {
  auto source = make([&process] { return process.StopRequested(); });
  if (absl::IsCancelled(source.status())) return Stopped(process, log);
  if (!source.ok()) return service::FailToStart(log, source.status());
  const RunIds ids = settings.Ids();
  service::WriteTraced(log, service::LogLevel::kInfo, "begins", settings.traceparent,
                       {{"stream_id", ids.stream_id}, {"request_id", ids.request_id}});
  std::promise<void> ended;
  std::shared_ptr<MessageSink> sink = MakeSink(settings, ended.get_future().share(), process, log);
  std::shared_ptr<ServedSink> served;
  if (host != nullptr) {
    host->room().AddStream(ids.stream_id);
    ServedSinkOptions options{.wait_for_pull = settings.pulled_only()};
    if (!settings.pulled_only()) options.lead_s = settings.lead_s / 2;
    served = std::make_shared<ServedSink>(&host->room(), sink, options);
    process.OnStop([served] { served->Cancel(); });
    sink = served;
    host->grpc().AnnounceReady(settings.out == "-" ? stderr : stdout);
    if (options.wait_for_pull) log.Info("waits for the first pull");
  }
  StopClock clock(process);
  ProgressLine line(settings.progress && isatty(STDERR_FILENO) != 0,
                    (*source)->duration_s().value_or(0));
  NewNotes notes(**source);
  const auto note = [&] {
    notes.Tell([&](const std::string& text) {
      line.Clear();
      log.Warning("note", {{"text", text}});
    });
  };
  note();
  auto result = Run(**source, *sink, {settings.Rate(), settings.lead_s}, clock, ids,
                    client::UnixSeconds(), [&](const auto& p) {
                      note();
                      line.Show(p, clock.Now());
                    });
  ended.set_value();
  line.Clear();
  note();
  if (host != nullptr) {
    if (process.signal() != 0) {
      host->grpc().Drain([host](double budget_s) { host->room().Drain(budget_s); });
    }
    served->Close();
    host->Close();
  }
  if (process.signal() != 0) return Stopped(process, log);
  // With a file, the usual cause is that it cannot be created.
  if (!result.ok() && !settings.out.empty()) return service::FailToStart(log, result.status());
  if (!result.ok()) return service::Fail(log, result.status());
  if (settings.quiet) {
    std::fprintf(stderr, "%s, %.1f s\n", program::TerminalText(result->answer).c_str(),
                 result->progress.sent_s());
  }
  log.Info("ended", {{"sent", ProgressText(result->progress, 0)}, {"answer", result->answer}});
  return 0;
}

}  // namespace posewire::a2f_source
