// Wakes the thread that polls a completion queue.
#ifndef POSEWIRE_LIBS_SERVICE_QUEUE_BELL_H_
#define POSEWIRE_LIBS_SERVICE_QUEUE_BELL_H_

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <atomic>
#include <functional>
#include <utility>

#include "libs/service/queue_calls.h"

namespace posewire::service {

// After each Ring, `heard` is called at least once more on the queue's thread. Must not be rung
// when the queue is being shut down, nor destroyed before what it rang was heard. Thread-safe.
class QueueBell final : public QueueEvent {
 public:
  QueueBell(grpc::CompletionQueue* queue, std::function<void()> heard)
      : queue_(queue), heard_(std::move(heard)) {}

  void Ring() {
    if (!ringing_.exchange(true)) alarm_.Set(queue_, gpr_time_0(GPR_CLOCK_MONOTONIC), tag());
  }
  void Happened(bool) override {
    ringing_ = false;
    heard_();
  }

 private:
  grpc::CompletionQueue* const queue_;
  const std::function<void()> heard_;
  std::atomic<bool> ringing_{false};
  grpc::Alarm alarm_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_QUEUE_BELL_H_
