// A call that sends events to its client. Events are queued, so that senders never wait for the
// client.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_EVENT_CALL_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_EVENT_CALL_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

#include "services/a2f_source/grpc/waiting_call.h"

namespace posewire::a2f_source {

// Any thread may call Push, left_out and Wake; the thread that calls Read also calls WaitUntil and
// Drain. Everything else is as in WaitingCall.
class EventCall final : public WaitingDuplex {
 public:
  // Capacity of the queue, in bytes. Events that do not fit are dropped and counted by left_out.
  static constexpr size_t kMostBytes = size_t{1} << 20;

  using WaitingDuplex::WaitingDuplex;

  // Queues an event. Drops it if the queue is full, unless it `must` arrive. Ignored after Drain,
  // and after the client has gone.
  void Push(grpc::ByteBuffer event, bool must = false) {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    const size_t size = event.Length();
    if (!must && bytes_ + size > kMostBytes) {
      ++left_out_;
      return;
    }
    bytes_ += size;
    events_.push_back(std::move(event));
    if (!writing_) WriteNext();
  }

  // Number of events dropped because the queue was full.
  uint64_t left_out() const {
    std::lock_guard lock(mutex_);
    return left_out_;
  }

  // Waits until gRPC has taken all events. A client that reads none for `patience_s` is cut off.
  // Only Finish may follow.
  void Drain(double patience_s) {
    std::unique_lock lock(mutex_);
    closed_ = true;
    while (writing_) {
      const uint64_t before = written_;
      const auto goes_on = [&] { return !writing_ || written_ != before; };
      if (changed_.wait_for(lock, std::chrono::duration<double>(patience_s), goes_on)) continue;
      context()->TryCancel();
      changed_.wait(lock, [this] { return !writing_; });
    }
  }

  // Makes WaitUntil check its condition again.
  void Wake() {
    std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  // Waits until `ready` returns true, or the call is stopped. `ready` is called with the call's
  // lock held, and must not use the call.
  template <typename Ready>
  void WaitUntil(Ready ready) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !why_.ok() || ready(); });
  }

 private:
  // Requires mutex_.
  void WriteNext() {
    out_ = std::move(events_.front());
    events_.pop_front();
    bytes_ -= out_.Length();
    writing_ = true;
    POSEWIRE_BEFORE_START();
    StartWrite(&out_);
  }

  void OnWriteDone(bool ok) override {
    POSEWIRE_ENTER_CALLBACK();
    std::lock_guard lock(mutex_);
    writing_ = false;
    ++written_;
    if (!ok) {
      closed_ = true;
      events_.clear();
    } else if (!events_.empty()) {
      WriteNext();
    }
    changed_.notify_all();
  }

  grpc::ByteBuffer out_;  // owned by gRPC during a write
  // All below is guarded by mutex_.
  std::deque<grpc::ByteBuffer> events_;
  size_t bytes_ = 0;
  uint64_t left_out_ = 0, written_ = 0;
  bool writing_ = false, closed_ = false;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_EVENT_CALL_H_
