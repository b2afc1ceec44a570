// A call whose answers are events, which wait for the client in a queue of their own: whoever tells
// them never waits.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_EVENT_CALL_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_EVENT_CALL_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "services/a2f_source/grpc/waiting_call.h"

namespace posewire::a2f_source {

// Besides what WaitingCall says: Push may come from any thread.
class EventCall final : public WaitingDuplex {
 public:
  // Of events that a client has not read.
  static constexpr size_t kMostBytes = size_t{1} << 20;

  using WaitingDuplex::WaitingDuplex;

  // Queues an event. One that finds no room is left out, unless it `must` be told.
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

  // Events that found no room.
  uint64_t left_out() const {
    std::lock_guard lock(mutex_);
    return left_out_;
  }

  // Waits until all events have gone; what is pushed from then on is ignored. A client that has not
  // read them after `patience_s` is cut off.
  void Drain(double patience_s) {
    std::unique_lock lock(mutex_);
    closed_ = true;
    const auto done = [this] { return !writing_; };
    if (changed_.wait_for(lock, std::chrono::duration<double>(patience_s), done)) return;
    context()->TryCancel();
    changed_.wait(lock, done);
  }

  // Wakes the thread of the call from WaitUntil; it looks again.
  void Wake() {
    std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  // Waits until `ready`, which must not take the call's lock, holds, or the call is stopped.
  template <typename Ready>
  void WaitUntil(Ready ready) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !why_.ok() || ready(); });
  }

 private:
  // mutex_ is held.
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
    if (!ok) {
      closed_ = true;
      events_.clear();
    } else if (!events_.empty()) {
      WriteNext();
    }
    changed_.notify_all();
  }

  // All is guarded by mutex_, but for what gRPC writes.
  grpc::ByteBuffer out_;
  std::deque<grpc::ByteBuffer> events_;
  size_t bytes_ = 0;
  uint64_t left_out_ = 0;
  bool writing_ = false, closed_ = false;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_EVENT_CALL_H_
