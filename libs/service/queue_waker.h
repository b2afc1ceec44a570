// Wakes the thread that polls a completion queue.
#ifndef POSEWIRE_LIBS_SERVICE_QUEUE_WAKER_H_
#define POSEWIRE_LIBS_SERVICE_QUEUE_WAKER_H_

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <atomic>
#include <functional>
#include <utility>

#include "libs/service/queue_calls.h"

namespace posewire::service {

// After each Wake, `woken` is called at least once more on the queue's thread. Must not be used
// while the queue is being shut down, nor destroyed before a pending `woken` has run. Thread-safe.
class QueueWaker final : public QueueEvent {
 public:
  QueueWaker(grpc::CompletionQueue* queue, std::function<void()> woken)
      : queue_(queue), woken_(std::move(woken)) {}

  void Wake() {
    if (!waking_.exchange(true)) alarm_.Set(queue_, gpr_time_0(GPR_CLOCK_MONOTONIC), tag());
  }
  void Happened(bool) override {
    waking_ = false;
    woken_();
  }

 private:
  grpc::CompletionQueue* const queue_;
  const std::function<void()> woken_;
  std::atomic<bool> waking_{false};
  grpc::Alarm alarm_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_QUEUE_WAKER_H_
