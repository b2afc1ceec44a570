// a2f_source: pushes a clip, a spoken text or a performer to an anim_graph, or writes it to a file.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "libs/service/contain.h"
#include "libs/service/flags.h"
#include "libs/service/process.h"
#include "services/a2f_source/config.h"
#include "services/a2f_source/core/pacer.h"
#include "services/a2f_source/progress.h"
#include "services/a2f_source/sinks.h"

namespace {

namespace service = posewire::service;
namespace a2f_source = posewire::a2f_source;

double UnixSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

class StopClock : public a2f_source::Clock {
 public:
  explicit StopClock(service::Process& process) : process_(process) {}
  double Now() override { return posewire::client::SteadySeconds(); }
  bool SleepUntil(double time_s) override {
    const double left_s = time_s - Now();
    return left_s > 0 ? !process_.WaitForStopFor(left_s) : !process_.StopRequested();
  }

 private:
  service::Process& process_;
};

}  // namespace

static int Run(int argc, char** argv) {
  service::Process process;
  a2f_source::Config config;
  service::Flags flags(
      {.name = "a2f_source",
       .summary = "Pushes a clip, a spoken text or a performer to an anim_graph.",
       .examples = {"a2f_source say \"Hello there\" --stream-id s1",
                    "a2f_source play take.animdata --loop", "a2f_source serve --stream-id s1",
                    "a2f_source vmc --port 39539 --stream-id s1",
                    "a2f_source say \"Hello\" --out hello.jsonl"}});
  config.Declare(flags);
  if (std::optional<int> code = service::ParseShell(argc, argv, flags, config.shell)) return *code;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const bool quiet = config.QuietAt(terminal, flags);
  if (quiet) config.shell.log.level = "warning";
  service::Logger log(flags.info().name, config.shell.log);
  service::LogConfig(log, flags);

  if (flags.command() == "serve") return a2f_source::RunServe(config.Serve(log), process, log);
  std::unique_ptr<service::GrpcHost> host;
  if (!config.grpc.listen.empty()) {
    auto started = service::GrpcHost::Start(config.grpc, {}, log);
    if (!started.ok()) return service::Fail(log, started.status());
    host = *std::move(started);
    host->AnnounceReady();
  }
  if (flags.command() == "vmc") return a2f_source::RunVmc(config.Vmc(log), process, log);
  auto source = a2f_source::MakeSource(config, flags.command());
  if (!source.ok()) return service::Fail(log, source.status());

  const a2f_source::RunIds ids = config.Ids();
  log.Info("begins", {{"stream_id", ids.stream_id}, {"request_id", ids.request_id}});
  std::shared_ptr<a2f_source::MessageSink> sink;
  if (config.out.empty()) {
    auto push = std::make_shared<a2f_source::PushSink>(config.Push(log));
    process.OnStop([push] { push->Cancel(); });
    sink = push;
  } else {
    sink = std::make_shared<a2f_source::FileSink>(config.out);
  }
  StopClock clock(process);
  a2f_source::ProgressLine line(config.progress && terminal, (*source)->duration_s().value_or(0));
  auto result = a2f_source::Run(**source, *sink, {config.Rate(), config.lead_s}, clock, ids,
                                UnixSeconds(), [&](const auto& p) { line.Show(p, clock.Now()); });
  line.Clear();
  for (const std::string& note : a2f_source::Notes(**source)) log.Warning("note", {{"text", note}});
  if (process.signal() != 0) {
    log.Info("stopped by a signal", {{"signal", process.signal()}});
    return 128 + process.signal();
  }
  if (!result.ok()) return service::Fail(log, result.status());
  if (quiet) {
    std::fprintf(stderr, "%s, %.1f s\n", result->answer.c_str(), result->progress.sent_s());
  }
  log.Info("ended",
           {{"sent", a2f_source::ProgressText(result->progress, 0)}, {"answer", result->answer}});
  return 0;
}

int main(int argc, char** argv) {
  return service::ContainMain("a2f_source", [&] { return Run(argc, argv); });
}
