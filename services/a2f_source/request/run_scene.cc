#include "services/a2f_source/request/run_scene.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <latch>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/client/connection.h"
#include "libs/client/place_avatars.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/grpc_host.h"
#include "libs/service/traced_log.h"
#include "services/a2f_source/request/sinks.h"
#include "services/a2f_source/request/stop_clock.h"

namespace posewire::a2f_source {
namespace {

// Time for stopped pushes to send their statuses and be answered.
constexpr std::chrono::seconds kStopOfAll{1};
constexpr double kMostPlacing_s = 30;

// Begins when all do.
class SyncedSink : public MessageSink {
 public:
  SyncedSink(std::shared_ptr<PushSink> push, std::latch& all) : push_(std::move(push)), all_(all) {}
  // All must end, also when this one never begins.
  ~SyncedSink() override { CountDown(); }

  absl::Status Begin(const wire::StreamHeader& header) override {
    const absl::Status status = push_->Begin(header);
    CountDown();
    if (status.ok()) all_.wait();
    return status;
  }
  absl::StatusOr<bool> Send(const wire::Message& message) override { return push_->Send(message); }
  absl::StatusOr<std::string> End() override { return push_->End(); }

 private:
  void CountDown() {
    if (!std::exchange(counted_, true)) all_.count_down();
  }

  const std::shared_ptr<PushSink> push_;
  std::latch& all_;
  bool counted_ = false;
};

// One character's request, on its own thread.
struct Part {
  SceneRequest request;
  RunIds ids;
  std::shared_ptr<PushSink> push;
  absl::StatusOr<RunResult> result = absl::UnknownError("");
};

void RunPart(const SourceSettings& settings, double epoch_s, std::latch& all, Part& part,
             service::Process& process, const service::Logger& log) {
  StopClock clock(process);
  SyncedSink sink(part.push, all);
  NewNotes notes(*part.request.source);
  const auto note = [&] {
    notes.Tell([&](const std::string& text) {
      log.Warning("note", {{"target_id", part.ids.target_id}, {"text", text}});
    });
  };
  part.result = Run(*part.request.source, sink, {settings.Rate(), settings.lead_s}, clock, part.ids,
                    epoch_s, [&](const Progress&) { note(); });
  note();
}

}  // namespace

int RunScene(const SourceSettings& settings, std::vector<SceneRequest> requests,
             service::Process& process, const service::Logger& log) {
  const RunIds common = settings.Ids();
  service::WriteTraced(log, service::LogLevel::kInfo, "begins", settings.traceparent,
                       {{"stream_id", common.stream_id},
                        {"request_id", common.request_id},
                        {"characters", requests.size()}});
  const double epoch_s = client::UnixSeconds();
  std::promise<void> ended;
  const std::shared_future<void> all_ended = ended.get_future().share();
  std::vector<Part> parts(requests.size());
  std::vector<client::AvatarOnGround> places;
  std::vector<std::shared_ptr<PushSink>> pushes;
  std::latch all(static_cast<std::ptrdiff_t>(parts.size()));
  for (size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    part.request = std::move(requests[i]);
    part.ids = common;
    part.ids.target_id = part.request.target_id;
    if (i > 0) absl::StrAppend(&part.ids.request_id, "-", part.request.target_id);
    part.push = std::make_shared<PushSink>(settings.Push(log));
    const asset::GroundPlace& place = part.request.place;
    places.push_back({part.ids.target_id, place.x_m, place.z_m, place.turn_deg});
    pushes.push_back(part.push);
  }
  process.OnStop([pushes, all_ended] {
    all_ended.wait_for(kStopOfAll);
    for (const auto& push : pushes) push->Cancel();
  });
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (Part& part : parts) {
    threads.emplace_back([&] {
      const absl::Status ran = service::CatchExceptions(log, "a character of a scene", [&] {
        RunPart(settings, epoch_s, all, part, process, log);
      });
      if (!ran.ok()) part.result = ran;
    });
  }
  std::thread placing([&] {
    const auto place = [&] {
      client::ConnectionOptions connection = settings.Push(log).connection;
      connection.on_event = nullptr;
      const absl::Status placed = client::PlaceAvatars(
          connection, common.stream_id, places, kMostPlacing_s,
          [&](double seconds) { return !process.WaitForStopFor(seconds) && !done; });
      if (placed.ok() || absl::IsCancelled(placed)) return;
      log.Warning("the characters are not in their places",
                  {{"stream_id", common.stream_id}, {"why", placed.ToString()}});
    };
    service::CatchExceptions(log, "the places of a scene", place).IgnoreError();
  });
  for (std::thread& thread : threads) thread.join();
  done = true;
  placing.join();
  ended.set_value();
  if (process.signal() != 0) {
    log.Info("stopped by a signal", {{"signal", process.signal()}});
    return 128 + process.signal();
  }
  int code = 0;
  for (const Part& part : parts) {
    if (!part.result.ok()) {
      const int failed = service::Fail(log, part.result.status());
      if (code == 0) code = failed;
      continue;
    }
    log.Info("ended", {{"target_id", part.ids.target_id},
                       {"sent", ProgressText(part.result->progress, 0)},
                       {"answer", part.result->answer}});
  }
  return code;
}

}  // namespace posewire::a2f_source
