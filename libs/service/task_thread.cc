#include "libs/service/task_thread.h"

#include <sys/resource.h>

#include <utility>

#include "libs/service/catch_exceptions.h"

namespace posewire::service {

TaskThread::TaskThread(Logger log, const TaskThreadOptions& options)
    : log_(std::move(log)), options_(options), thread_([this] { Run(); }) {}

TaskThread::~TaskThread() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool TaskThread::Post(Task task) {
  {
    std::lock_guard lock(mutex_);
    if (tasks_.size() >= options_.most_waiting || (stop_ && !options_.finish)) return false;
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
  return true;
}

void TaskThread::Run() {
  // On Linux this applies to the calling thread. If it is not permitted, the thread has normal
  // priority.
  if (options_.nice != 0) setpriority(PRIO_PROCESS, 0, options_.nice);
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
    if (tasks_.empty() || (stop_ && !options_.finish)) return;
    {
      // Destroyed without the lock, because it may hold the last reference to an object that posts.
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      (void)CatchExceptions(log_, options_.what, [&] { task(); });
    }
    lock.lock();
  }
}

}  // namespace posewire::service
