#include "services/anim_graph/runtime/worker.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "absl/hash/hash.h"
#include "libs/service/contain.h"

namespace posewire::anim_graph {

namespace {

// A tick waits for nothing else, but when ticks are this late already: then so many things are
// dealt with between two of them, more than a slot's avatars bring about when they tick, that
// reading keeps up with ticking.
constexpr int64_t kLate_ns = 4'000'000;
constexpr int kLeastWhenLate = 64;
// A tick that throws may be due again at once.
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
    : log_(std::move(log)), engine_(std::move(parts), ReadClocks()) {}

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
  // Not without the lock: once the thread has seen the stop, its waiter may be closed.
  if (awake_.exchange(true) || stop_) return;
  waiter_->Wake();
}

// False when the worker is to stop and nothing is left.
bool Worker::TakeTasks(std::vector<Task>* tasks) {
  std::lock_guard lock(mutex_);
  std::swap(*tasks, tasks_);
  awake_ = false;
  return !tasks->empty() || !stop_;
}

// As the waiter's. What an event throws has come up, and is over.
bool Worker::WaitUntil(int64_t deadline_ns) {
  bool came = true;
  (void)service::Contain(log_, "event", [&] { came = waiter_->WaitUntil(deadline_ns); });
  return came;
}

void Worker::Run() {
  int64_t not_before_ns = 0;
  const auto next_ns = [&] { return std::max(engine_.NextWake(), not_before_ns); };
  std::vector<Task> tasks;
  while (TakeTasks(&tasks)) {
    for (Task& task : tasks) {
      (void)service::Contain(log_, "task", [&] { task(engine_, ReadClocks()); });
    }
    const bool more = !tasks.empty();
    tasks.clear();
    const Now now = ReadClocks();
    int64_t due = next_ns();
    int least = now.ns - due > kLate_ns ? kLeastWhenLate : 0;
    if (now.ns >= due) {
      waiter_->BeginTick();
      const absl::Status ticked = service::Contain(log_, "tick", [&] { engine_.Advance(now); });
      waiter_->EndTick();
      if (!ticked.ok()) not_before_ns = now.ns + kPauseAfterFault_ns;
    }
    if (more) continue;
    do {
      due = next_ns();
    } while (WaitUntil(due) && !awake_ && (--least > 0 || ReadClocks().ns < due));
  }
  (void)service::Contain(log_, "end", [&] { waiter_->Close(); });
}

Workers::Workers(int count, const EngineParts& parts, const service::Logger& log) : log_(log) {
  for (int i = 0; i < count; ++i) workers_.push_back(std::make_unique<Worker>(parts, log));
}

Worker& Workers::For(absl::string_view stream_id) {
  return *workers_[absl::Hash<absl::string_view>()(stream_id) % workers_.size()];
}

std::vector<Worker*> Workers::all() {
  std::vector<Worker*> out;
  for (const auto& w : workers_) out.push_back(w.get());
  return out;
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
        (void)service::Contain(log_, "question", [&] { gathering->ask(engine, now); });
        last = --gathering->left == 0;
      }
      if (last) gathering->done();
    });
  }
}

void Workers::Stop() {
  for (const auto& w : workers_) w->Stop();
}

void Workers::Drain() {
  std::promise<void> done;
  AskAll([](Engine& engine, Now now) { engine.Drain(now); }, [&done] { done.set_value(); });
  done.get_future().wait();
}

}  // namespace posewire::anim_graph
