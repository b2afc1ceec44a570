// A thread with an engine, a mailbox and a timer.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_WORKER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_WORKER_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "services/anim_graph/core/engine.h"

namespace posewire::anim_graph {

// The process's clocks.
Now ReadClocks();

// Owns an engine and the thread that drives it. The mailbox is unbounded by itself: each call has
// at most one message in it. Thread-safe.
class Worker {
 public:
  using Letter = absl::AnyInvocable<void(Engine&, Now)>;

  explicit Worker(EngineParts parts);
  // Letters that wait are still delivered.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Runs `letter` on the worker's thread, in order of posting.
  void Post(Letter letter);

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Letter> mailbox_;  // guarded by mutex_
  bool stop_ = false;            // guarded by mutex_
  Engine engine_;                // of the thread
  std::thread thread_;
};

// All workers of the process; a stream belongs to one of them for good.
class Workers {
 public:
  Workers(int count, const EngineParts& parts);
  Worker& For(absl::string_view stream_id);
  std::vector<Worker*> all();
  // Every call gets its last words. Returns when all engines have drained.
  void Drain();

 private:
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_WORKER_H_
