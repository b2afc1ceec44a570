// The calls of a client that are in progress, so that all can be cancelled. Includes gRPC.
#ifndef POSEWIRE_LIBS_CLIENT_OPEN_CALLS_H_
#define POSEWIRE_LIBS_CLIENT_OPEN_CALLS_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "grpcpp/client_context.h"

namespace posewire::client {

// Each call that calls Begin must call End in its callback. Thread-safe.
//
// A context keeps its channel alive. If the last reference to a channel is dropped on gRPC's thread
// for callbacks, gRPC 1.51 frees the queue that this thread polls, and the process aborts. So a
// callback gives its context to End, and it is destroyed later, on another thread.
class OpenCalls {
 public:
  // Returns false after CancelAll: the call must not be made.
  bool Begin(grpc::ClientContext* call) {
    std::vector<std::shared_ptr<const void>> ended;  // destroyed without the lock
    std::lock_guard lock(mutex_);
    if (closed_) return false;
    ended.swap(ended_);
    calls_.insert(call);
    return true;
  }
  // `owner` owns the context; the callback must keep no other reference to it. Must be the last use
  // in a callback of anything that is shared with this.
  void End(grpc::ClientContext* call, std::shared_ptr<const void> owner) {
    std::lock_guard lock(mutex_);
    ended_.push_back(std::move(owner));
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
  // Owners of ended calls' contexts, until the next call. Guarded by mutex_.
  std::vector<std::shared_ptr<const void>> ended_;
};

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_OPEN_CALLS_H_
