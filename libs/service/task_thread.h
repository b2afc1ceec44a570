// A thread with a queue, for work that its caller must not wait for.
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
  absl::string_view what = "task";  // in the log, of what a task throws; outlives the thread
  // Tasks that may wait besides the one that runs.
  size_t most_waiting = std::numeric_limits<size_t>::max();
  // Whether the end waits for tasks that wait; they are dropped otherwise.
  bool finish = true;
  // Of the thread: 10 gets a tenth of what others get, when both want a CPU.
  int nice = 0;
};

// Tasks run one after another, in the order of Post. What one throws is logged, and the next one
// runs. Thread-safe.
class TaskThread {
 public:
  using Task = absl::AnyInvocable<void()>;

  explicit TaskThread(Logger log, const TaskThreadOptions& options = {});
  // Waits for what runs. Not to be destroyed by a task of its own.
  ~TaskThread();
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  // False when as many wait as may, or when it ends and need not finish: the task is not taken.
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
