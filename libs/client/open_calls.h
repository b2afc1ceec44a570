// The calls of a client that are in progress, so that all can be cancelled. Includes gRPC.
#ifndef POSEWIRE_LIBS_CLIENT_OPEN_CALLS_H_
#define POSEWIRE_LIBS_CLIENT_OPEN_CALLS_H_

#include <condition_variable>
#include <mutex>
#include <set>

#include "grpcpp/client_context.h"

namespace posewire::client {

// Each call that calls Begin must call End in its callback. Thread-safe.
class OpenCalls {
 public:
  // Returns false after CancelAll: the call must not be made.
  bool Begin(grpc::ClientContext* call) {
    std::lock_guard lock(mutex_);
    if (closed_) return false;
    calls_.insert(call);
    return true;
  }
  // Must be the last use in a callback of anything that is shared with this.
  void End(grpc::ClientContext* call) {
    std::lock_guard lock(mutex_);
    calls_.erase(call);
    changed_.notify_all();
  }
  // Cancels the calls in progress, and waits until they have ended.
  void CancelAll() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    for (grpc::ClientContext* call : calls_) call->TryCancel();
    changed_.wait(lock, [this] { return calls_.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;                   // guarded by mutex_
  std::set<grpc::ClientContext*> calls_;  // guarded by mutex_
};

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_OPEN_CALLS_H_
