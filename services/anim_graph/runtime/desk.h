// A thread that writes answers, so that the workers, which tick avatars, never do.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_DESK_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_DESK_H_

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "libs/service/contain.h"
#include "libs/service/logger.h"

namespace posewire::anim_graph {

// Thread-safe. The queue has no bound of its own: it holds one task for each call under way, which
// are limited by the connections, and one for each WebSocket that has events waiting.
class Desk {
 public:
  // What it throws is logged; who waits for its answer learns of that when the task goes.
  using Task = absl::AnyInvocable<void()>;

  explicit Desk(service::Logger log) : log_(std::move(log)), thread_([this] { Run(); }) {}
  // Tasks that wait are still done. Not to be destroyed by a task of its own.
  ~Desk() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  void Post(Task task) {
    {
      std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
  }

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      std::vector<Task> tasks = std::exchange(tasks_, {});
      lock.unlock();
      for (Task& task : tasks) {
        (void)service::Contain(log_, "answer", [&] { task(); });
        task = nullptr;
      }
      lock.lock();
    }
  }

  const service::Logger log_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Task> tasks_;  // guarded by mutex_
  bool stop_ = false;        // guarded by mutex_
  std::thread thread_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_DESK_H_
