// A thread with an engine, a task queue, and a Waiter on which it waits between ticks.
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

// Returns the current time of the process's clocks.
Now ReadClocks();

// A worker's thread waits here between ticks, and receives outside events meanwhile.
class Waiter {
 public:
  virtual ~Waiter() = default;
  // Called on the worker's thread. Returns after handling one event, after Wake, or at
  // `deadline_ns` of the monotonic clock. Returns false if the deadline passed without an event.
  virtual bool WaitUntil(int64_t deadline_ns) = 0;
  // Callable from any thread. Also ends a wait that has not started yet.
  virtual void Wake() = 0;
  // Called on the worker's thread before and after a tick of the engine, whose writes may be sent
  // together at the end.
  virtual void BeginTick() {}
  virtual void EndTick() {}
  // The last call, on the worker's thread. Wake is not called afterwards.
  virtual void Close() = 0;
};

// Owns an engine and the thread that drives it. The waiter's events are handled on that thread and
// may use the engine; other threads post tasks. The queue has no bound of its own, because each
// call has at most one message in it. Ticks do not wait for tasks: if a tick is due, the remaining
// tasks run after it. Thread-safe, except Start and Stop.
class Worker {
 public:
  using Task = absl::AnyInvocable<void(Engine&, Now)>;

  // Exceptions thrown by events, tasks and ticks are logged, and the thread continues.
  explicit Worker(EngineParts parts, service::Logger log = {});
  ~Worker() { Stop(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Starts the thread. Tasks posted earlier wait for it.
  void Start(std::unique_ptr<Waiter> waiter);
  // Runs the waiting tasks, then closes the waiter. Drops later tasks. Does nothing if the thread
  // is not running.
  void Stop();

  // Runs `task` on the worker's thread, in order of posting.
  void Post(Task task);

  // Call on the worker's thread only.
  Engine& engine() { return engine_; }
  // Call on the worker's thread: the waiter received this many bytes, which cost time to process.
  void Took(size_t bytes) { took_ += static_cast<int64_t>(bytes); }
  // The counters of its engine.
  EngineCounters counters() const { return engine_.counters(); }
  // Monotonic time of the thread's last loop iteration. At most a frame ago in normal operation.
  int64_t heard_ns() const { return heard_ns_.load(std::memory_order_relaxed); }

 private:
  void Run();
  bool TakeTasks();
  void RunTasks(int64_t due_ns);
  bool WaitUntil(int64_t deadline_ns);

  const service::Logger log_;
  std::mutex mutex_;
  std::vector<Task> tasks_;  // guarded by mutex_
  // Guarded by mutex_. True: the thread is going to check tasks_.
  std::atomic<bool> awake_ = true;
  bool stop_ = false;  // guarded by mutex_
  std::unique_ptr<Waiter> waiter_;
  std::vector<Task> taken_;  // used on the thread; tasks before next_ are done
  size_t next_ = 0;          // used on the thread
  int64_t took_ = 0;         // used on the thread: cost of handled events, in bytes
  Engine engine_;            // used on the thread
  std::atomic<int64_t> heard_ns_;
  std::thread thread_;
};

// All workers of the process. A stream always belongs to the same worker.
class Workers {
 public:
  Workers(int count, const EngineParts& parts, const service::Logger& log = {});
  Worker& For(absl::string_view stream_id);
  std::vector<Worker*> all() const;
  // UNAVAILABLE if a worker has not run for 5 s. Calls no worker.
  absl::Status CheckAlive(Now now) const;
  // Runs `ask` on every engine, one at a time, each on its own thread, then calls `done` on the
  // thread of the last one. If `ask` throws, the exception is logged and the remaining engines are
  // still asked.
  void AskAll(Worker::Task ask, absl::AnyInvocable<void()> done);
  // Ends all streams (Engine::EndStreams): for `patience_s` those without requests, then all, a few
  // at a time so that their clients do not all connect elsewhere at once. No new ones are made.
  // Returns when they have ended.
  void EndStreams(double patience_s);
  // Ends every call with a final status. Returns when all engines have drained.
  void Drain();
  void Stop();

 private:
  const service::Logger log_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_WORKER_H_
