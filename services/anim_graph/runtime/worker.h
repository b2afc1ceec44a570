// A thread with an engine, a queue of tasks, and a place to wait for its ticks.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_WORKER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_WORKER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/service/logger.h"
#include "services/anim_graph/core/engine.h"

namespace posewire::anim_graph {

// The process's clocks.
Now ReadClocks();

// Where a worker's thread waits between its ticks, and what reaches it from outside meanwhile.
class Waiter {
 public:
  virtual ~Waiter() = default;
  // On the worker's thread: returns when one thing that came up is dealt with, after Wake, or at
  // `deadline_ns` of the monotonic clock. False at the deadline, when nothing has come up.
  virtual bool WaitUntil(int64_t deadline_ns) = 0;
  // From any thread, a wait that is to come included.
  virtual void Wake() = 0;
  // On the worker's thread, around a tick of the engine: what it sends may be held together until
  // the end.
  virtual void BeginTick() {}
  virtual void EndTick() {}
  // The last call, on the worker's thread; Wake is not called from then on.
  virtual void Close() = 0;
};

// Owns an engine and the thread that drives it. What the waiter brings is dealt with on that very
// thread, and may use the engine; others send tasks. The queue has no bound by itself: each
// call has at most one message in it. No tick waits for it: when one is due, the tasks that are
// left go on after it. Thread-safe, but for Start and Stop.
class Worker {
 public:
  using Task = absl::AnyInvocable<void(Engine&, Now)>;

  // What events, tasks and ticks throw is logged, and the thread goes on.
  explicit Worker(EngineParts parts, service::Logger log = {});
  ~Worker() { Stop(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Runs the thread. Tasks that were posted before wait for it.
  void Start(std::unique_ptr<Waiter> waiter);
  // Tasks that wait are still delivered; then the waiter is closed. Those that come later are
  // dropped. Does nothing when the thread does not run.
  void Stop();

  // Runs `task` on the worker's thread, in order of posting.
  void Post(Task task);

  // On the worker's thread.
  Engine& engine() { return engine_; }
  // On the worker's thread: what the waiter brings has so many bytes to go through, as it costs
  // time.
  void Took(size_t bytes) { took_ += static_cast<int64_t>(bytes); }
  // Of its engine.
  EngineCounters counters() const { return engine_.counters(); }
  // When the thread last came round, of the monotonic clock: at most a frame ago while all is well.
  int64_t heard_ns() const { return heard_ns_.load(std::memory_order_relaxed); }

 private:
  void Run();
  bool TakeTasks();
  void RunTasks(int64_t due_ns);
  bool WaitUntil(int64_t deadline_ns);

  const service::Logger log_;
  std::mutex mutex_;
  std::vector<Task> tasks_;  // guarded by mutex_
  // Guarded by mutex_: the thread will look into tasks_.
  std::atomic<bool> awake_ = true;
  bool stop_ = false;  // guarded by mutex_
  std::unique_ptr<Waiter> waiter_;
  std::vector<Task> taken_;  // of the thread: those before next_ are done
  size_t next_ = 0;          // of the thread
  int64_t took_ = 0;         // of the thread: the weight of what it deals with, in bytes
  Engine engine_;            // of the thread
  std::atomic<int64_t> heard_ns_;
  std::thread thread_;
};

// All workers of the process; a stream belongs to one of them for good.
class Workers {
 public:
  Workers(int count, const EngineParts& parts, const service::Logger& log = {});
  Worker& For(absl::string_view stream_id);
  std::vector<Worker*> all() const;
  // UNAVAILABLE when one was not heard of for 5 s. Asks nobody.
  absl::Status CheckAlive(Now now) const;
  // Asks every engine, one at a time, each on its own thread; then calls `done`, on the thread of
  // the last one. What `ask` throws is logged, and the others are asked all the same.
  void AskAll(Worker::Task ask, absl::AnyInvocable<void()> done);
  // Every call gets its last words. Returns when all engines have drained.
  void Drain();
  void Stop();

 private:
  const service::Logger log_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_WORKER_H_
