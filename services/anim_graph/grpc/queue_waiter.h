// A worker's Waiter that waits on a completion queue.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_QUEUE_WAITER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_QUEUE_WAITER_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <utility>

#include "libs/service/queue_waker.h"
#include "libs/service/tcp_cork.h"
#include "services/anim_graph/runtime/worker.h"

namespace posewire::anim_graph {

// Events from the queue (all are service::QueueEvents) are handled on the worker's thread. gRPC
// waits in whole milliseconds, so the wait may end up to one millisecond late.
class QueueWaiter final : public Waiter {
 public:
  // `cork` must outlive this.
  QueueWaiter(std::unique_ptr<grpc::ServerCompletionQueue> queue, service::TcpCork* cork)
      : queue_(std::move(queue)), cork_(*cork), waker_(queue_.get(), [] {}) {}

  bool WaitUntil(int64_t deadline_ns) override {
    void* tag = nullptr;
    bool ok = false;
    constexpr int64_t kSecond = 1'000'000'000;
    const gpr_timespec deadline{deadline_ns / kSecond, static_cast<int32_t>(deadline_ns % kSecond),
                                GPR_CLOCK_MONOTONIC};
    if (queue_->AsyncNext(&tag, &ok, deadline) != grpc::CompletionQueue::GOT_EVENT) return false;
    static_cast<service::QueueEvent*>(tag)->Happened(ok);
    return true;
  }
  void Wake() override { waker_.Wake(); }
  void BeginTick() override { cork_.Begin(); }
  void EndTick() override { cork_.End(); }
  // The server must have been shut down before.
  void Close() override {
    queue_->Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_->Next(&tag, &ok)) static_cast<service::QueueEvent*>(tag)->Happened(ok);
  }

 private:
  const std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  service::TcpCork& cork_;
  service::QueueWaker waker_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_QUEUE_WAITER_H_
