// A thread for what takes longer than a thread of the HTTP host may be held.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_WORKER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_WORKER_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "libs/service/contain.h"
#include "libs/service/logger.h"

namespace posewire::renderer_sink {

// Thread-safe. The destructor leaves out what waits, and waits for what runs.
class Worker {
 public:
  static constexpr size_t kMostTasks = 16;

  explicit Worker(service::Logger log) : log_(std::move(log)), thread_([this] { Run(); }) {}
  ~Worker() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // What the task throws is logged. False when kMostTasks wait already: the task is not taken.
  bool Post(std::function<void()> task) {
    {
      std::lock_guard lock(mutex_);
      if (tasks_.size() >= kMostTasks) return false;
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
    return true;
  }

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
      if (stop_) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      (void)service::Contain(log_, "task", task);
      lock.lock();
    }
  }

  const service::Logger log_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;  // guarded by mutex_; see kMostTasks
  bool stop_ = false;                        // guarded by mutex_
  std::thread thread_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_WORKER_H_
