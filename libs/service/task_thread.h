// A thread with a task queue, for work that must not block its caller.
#ifndef POSEWIRE_LIBS_SERVICE_TASK_THREAD_H_
#define POSEWIRE_LIBS_SERVICE_TASK_THREAD_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <limits>
#include <mutex>
#include <thread>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "libs/service/logger.h"

namespace posewire::service {

struct TaskThreadOptions {
  absl::string_view what = "task";  // name of a task in the log; must outlive the thread
  // Maximum number of waiting tasks, not counting the running one.
  size_t most_waiting = std::numeric_limits<size_t>::max();
  // Whether the destructor runs the waiting tasks; otherwise they are dropped.
  bool finish = true;
  // Nice value of the thread. With 10 it gets a tenth of the time of others if both want a CPU.
  int nice = 0;
};

// Runs tasks one after another, in the order of Post. If one throws, logs the exception and runs
// the next one. Thread-safe.
class TaskThread {
 public:
  using Task = absl::AnyInvocable<void()>;

  explicit TaskThread(Logger log, const TaskThreadOptions& options = {});
  // Waits for the running task. A task must not destroy its own thread.
  ~TaskThread();
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  // Returns false, and drops the task, if the queue is full, or if the thread is ending and does
  // not finish its tasks.
  bool Post(Task task);

 private:
  void Run();

  const Logger log_;
  const TaskThreadOptions options_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;  // guarded by mutex_; see TaskThreadOptions
  bool stop_ = false;       // guarded by mutex_
  std::thread thread_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_TASK_THREAD_H_
