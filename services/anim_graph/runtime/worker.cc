#include "services/anim_graph/runtime/worker.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_format.h"
#include "libs/service/catch_exceptions.h"

namespace posewire::anim_graph {

namespace {

// Normally a tick waits for nothing else. Once ticks are this late, this much work on events is
// done between two of them: more than one slot's avatars cause when they tick, so that reading
// keeps up with ticking. An event costs as much as a small message, plus the bytes that it brings:
// 64 of the smallest messages get their turn, or one of the largest.
constexpr int64_t kLate_ns = 4'000'000;
constexpr int64_t kEventBytes = 8 << 10;
constexpr int64_t kLeastBytesWhenLate = 64 * kEventBytes;
// Tasks run until the next tick is due, but at least for this long (a tenth of a slot), and then at
// most this many before other work has its turn.
constexpr int64_t kTaskShare_ns = 200'000;
constexpr int kMostTasks = 64;
constexpr double kSilent_s = 5;
constexpr size_t kEndedAtOnce = 32;  // streams of a worker
// A tick that throws may be due again immediately.
constexpr int64_t kPauseAfterFault_ns = 33'000'000;

}  // namespace

Now ReadClocks() {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  const auto mono = std::chrono::steady_clock::now().time_since_epoch();
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return {duration_cast<nanoseconds>(mono).count(), std::chrono::duration<double>(wall).count()};
}

Worker::Worker(EngineParts parts, service::Logger log)
    : log_(std::move(log)), engine_(std::move(parts), ReadClocks()), heard_ns_(ReadClocks().ns) {}

void Worker::Start(std::unique_ptr<Waiter> waiter) {
  waiter_ = std::move(waiter);
  thread_ = std::thread([this] { Run(); });
}

void Worker::Stop() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    waiter_->Wake();
  }
  thread_.join();
}

void Worker::Post(Task task) {
  std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  // Requires the lock: once the thread has seen stop_, its waiter may be closed.
  if (awake_.exchange(true) || stop_) return;
  waiter_->Wake();
}

// Returns false if the worker should stop and no task is left.
bool Worker::TakeTasks() {
  if (next_ < taken_.size()) return true;
  taken_.clear();
  next_ = 0;
  std::lock_guard lock(mutex_);
  std::swap(taken_, tasks_);
  awake_ = false;
  return !taken_.empty() || !stop_;
}

void Worker::RunTasks(int64_t due_ns) {
  if (taken_.empty()) return;
  Now now = ReadClocks();
  const int64_t until_ns = std::max(due_ns, now.ns + kTaskShare_ns);
  const size_t end = std::min(taken_.size(), next_ + kMostTasks);
  for (; next_ < end && now.ns < until_ns; now = ReadClocks()) {
    // Destroyed right after it runs: its captures may be large, or the last reference to something.
    Task task = std::move(taken_[next_++]);
    (void)service::CatchExceptions(log_, "task", [&] { task(engine_, now); });
  }
}

// Like the waiter's WaitUntil. An event that throws counts as handled.
bool Worker::WaitUntil(int64_t deadline_ns) {
  bool came = true;
  (void)service::CatchExceptions(log_, "event", [&] { came = waiter_->WaitUntil(deadline_ns); });
  return came;
}

void Worker::Run() {
  int64_t not_before_ns = 0;
  const auto next_ns = [&] { return std::max(engine_.NextWake(), not_before_ns); };
  while (TakeTasks()) {
    RunTasks(next_ns());
    const Now now = ReadClocks();
    heard_ns_.store(now.ns, std::memory_order_relaxed);
    const int64_t due = next_ns();
    int64_t least = now.ns - due > kLate_ns ? kLeastBytesWhenLate : 0;
    if (now.ns >= due) {
      waiter_->BeginTick();
      const absl::Status ticked =
          service::CatchExceptions(log_, "tick", [&] { engine_.Advance(now); });
      waiter_->EndTick();
      if (!ticked.ok()) not_before_ns = now.ns + kPauseAfterFault_ns;
    }
    // While tasks are waiting, handle events that have arrived, but do not wait.
    int64_t until = 0;
    do {
      until = next_ < taken_.size() || awake_ ? now.ns : next_ns();
      took_ = kEventBytes;
    } while (WaitUntil(until) && ((least -= took_) > 0 || (!awake_ && ReadClocks().ns < until)));
  }
  (void)service::CatchExceptions(log_, "end", [&] { waiter_->Close(); });
}

Workers::Workers(int count, const EngineParts& parts, const service::Logger& log) : log_(log) {
  for (int i = 0; i < count; ++i) workers_.push_back(std::make_unique<Worker>(parts, log));
}

Worker& Workers::For(absl::string_view stream_id) {
  return *workers_[absl::Hash<absl::string_view>()(stream_id) % workers_.size()];
}

std::vector<Worker*> Workers::all() const {
  std::vector<Worker*> out;
  for (const auto& w : workers_) out.push_back(w.get());
  return out;
}

absl::Status Workers::CheckAlive(Now now) const {
  for (size_t i = 0; i < workers_.size(); ++i) {
    const double silent_s = static_cast<double>(now.ns - workers_[i]->heard_ns()) * 1e-9;
    if (silent_s <= kSilent_s) continue;
    return absl::UnavailableError(absl::StrFormat("worker %d of %d has not responded for %.1f s",
                                                  i + 1, workers_.size(), silent_s));
  }
  return absl::OkStatus();
}

void Workers::AskAll(Worker::Task ask, absl::AnyInvocable<void()> done) {
  struct Gathering {
    std::mutex mutex;
    size_t left;       // guarded by mutex
    Worker::Task ask;  // guarded by mutex
    absl::AnyInvocable<void()> done;
  };
  auto gathering = std::make_shared<Gathering>();
  gathering->left = workers_.size();
  gathering->ask = std::move(ask);
  gathering->done = std::move(done);
  for (Worker* worker : all()) {
    worker->Post([this, gathering](Engine& engine, Now now) {
      bool last = false;
      {
        std::lock_guard lock(gathering->mutex);
        (void)service::CatchExceptions(log_, "question", [&] { gathering->ask(engine, now); });
        last = --gathering->left == 0;
      }
      if (last) gathering->done();
    });
  }
}

void Workers::Stop() {
  for (const auto& w : workers_) w->Stop();
}

void Workers::EndStreams(double patience_s) {
  const auto ask = [this](Worker::Task question) {
    std::promise<void> done;
    AskAll(std::move(question), [&done] { done.set_value(); });
    done.get_future().wait();
  };
  ask([](Engine& engine, Now) { engine.MakeNoMore(); });
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_s);
  size_t most = kEndedAtOnce;
  for (size_t left = 1; left > 0;) {
    const bool all = std::chrono::steady_clock::now() >= end;
    left = 0;
    ask([&](Engine& engine, Now now) { left += engine.EndStreams(all, most, now); });
    if (all) most *= 2;  // the rest must end in time
    if (left > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void Workers::Drain() {
  std::promise<void> done;
  AskAll([](Engine& engine, Now now) { engine.Drain(now); }, [&done] { done.set_value(); });
  done.get_future().wait();
}

}  // namespace posewire::anim_graph
