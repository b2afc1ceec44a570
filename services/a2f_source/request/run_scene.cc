#include "services/a2f_source/request/run_scene.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <future>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/client/connection.h"
#include "libs/client/place_avatars.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/grpc_host.h"
#include "libs/service/traced_log.h"
#include "libs/wire/any_entry.h"
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

// Counts how often a push found a server that does not know the avatars' places.
class Returns {
 public:
  void Note(const client::ConnectionEvent& event) {
    const bool first = event.kind == client::ConnectionEvent::kConnected && !event.minor;
    const bool again = event.kind == client::ConnectionEvent::kResumed && event.unknown_to_server;
    if (!again && !(first && event.away_s > 0)) return;
    std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  void End() {
    std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  // Waits until more than `known` are counted, and sets `known` to their number; false: no more
  // will come.
  bool WaitForMoreThan(int& known) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || count_ > known; });
    known = count_;
    return !ended_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
  bool ended_ = false;
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
  const auto returns = std::make_shared<Returns>();
  for (size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    part.request = std::move(requests[i]);
    part.ids = common;
    part.ids.target_id = part.request.target_id;
    if (i > 0) {
      // An id has at most 128 bytes; a target's may have as many.
      const std::string& target = part.request.target_id;
      const bool fits = part.ids.request_id.size() + 1 + target.size() <= wire::kMostTextBytes;
      absl::StrAppend(&part.ids.request_id, "-", fits ? target : absl::StrCat(i + 1));
    }
    client::PushOptions push = settings.Push(log);
    push.connection.on_event =
        [returns, told = push.connection.on_event](const client::ConnectionEvent& event) {
          if (told) told(event);
          returns->Note(event);
        };
    part.push = std::make_shared<PushSink>(std::move(push));
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
    int known = 0;
    do {
      service::CatchExceptions(log, "the places of a scene", place).IgnoreError();
    } while (returns->WaitForMoreThan(known));
  });
  for (std::thread& thread : threads) thread.join();
  done = true;
  returns->End();
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
