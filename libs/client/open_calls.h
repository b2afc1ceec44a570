// A client's calls in progress, so that it can end them all. Includes gRPC.
#ifndef POSEWIRE_LIBS_CLIENT_OPEN_CALLS_H_
#define POSEWIRE_LIBS_CLIENT_OPEN_CALLS_H_

#include <condition_variable>
#include <mutex>
#include <set>

#include "grpcpp/client_context.h"

namespace posewire::client {

// Thread-safe. Each call that begins is ended, by its callback.
class OpenCalls {
 public:
  // False once CancelAll was called: the call must not be made.
  bool Begin(grpc::ClientContext* call) {
    std::lock_guard lock(mutex_);
    if (closed_) return false;
    calls_.insert(call);
    return true;
  }
  // The last thing that a callback does with anything it shares with this.
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
