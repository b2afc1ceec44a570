// Where a worker of a test waits: no gRPC, no events.
#ifndef POSEWIRE_TESTS_UNIT_ANIM_GRAPH_BELL_WAITER_H_
#define POSEWIRE_TESTS_UNIT_ANIM_GRAPH_BELL_WAITER_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "services/anim_graph/runtime/worker.h"

namespace posewire::anim_graph {

// Only its bell and its ticks wake it.
class BellWaiter : public Waiter {
 public:
  bool WaitUntil(int64_t deadline_ns) override {
    std::unique_lock lock(mutex_);
    const auto due = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline_ns));
    changed_.wait_until(lock, due, [this] { return rung_; });
    return std::exchange(rung_, false);
  }
  void Wake() override {
    std::lock_guard lock(mutex_);
    rung_ = true;
    changed_.notify_one();
  }
  void Close() override {}

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_TESTS_UNIT_ANIM_GRAPH_BELL_WAITER_H_
