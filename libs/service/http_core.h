// What the connections of one HttpHost share. Internal to libs/service.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_CORE_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_CORE_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "libs/service/http_guard.h"
#include "libs/service/http_host.h"
#include "libs/service/http_router.h"
#include "libs/service/logger.h"

namespace posewire::service::internal {

// One connection. Its functions are called from any thread and do their work on its own strand.
class HttpMember {
 public:
  virtual ~HttpMember() = default;
  virtual void Drain() = 0;  // Ends when what is under way is done.
  virtual void Cut() = 0;    // Ends now.
};

// Outlives the threads of the host and with them every connection. Thread-safe.
class HttpCore {
 public:
  HttpCore(HttpOptions options, HttpRouter router, HttpGuard guard, Logger log)
      : options(std::move(options)),
        router(std::move(router)),
        guard(std::move(guard)),
        log(std::move(log)) {}

  // Every connection enters once and leaves in its destructor. 0: the host is ending, so must it.
  uint64_t Enter(const std::shared_ptr<HttpMember>& member) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (ending_) return 0;
    members_[++last_id_] = member;
    return last_id_;
  }
  void Leave(uint64_t id) {
    std::lock_guard<std::mutex> lock(mutex_);
    members_.erase(id);
    left_.notify_all();
  }
  // From now on nobody enters; the result is who is there.
  std::vector<std::shared_ptr<HttpMember>> End() {
    std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
    std::vector<std::shared_ptr<HttpMember>> there;
    for (const auto& [id, member] : members_) {
      if (auto alive = member.lock()) there.push_back(std::move(alive));
    }
    return there;
  }
  bool ending() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return ending_;
  }
  // False when someone was still there after `budget`.
  bool WaitUntilEmpty(std::chrono::duration<double> budget) {
    std::unique_lock<std::mutex> lock(mutex_);
    return left_.wait_for(lock, budget, [this] { return members_.empty(); });
  }
  int open() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int>(members_.size());
  }

  const HttpOptions options;
  const HttpRouter router;
  const HttpGuard guard;
  const Logger log;
  std::atomic<int> websockets = 0;
  std::atomic<int64_t> slow_websockets = 0;

 private:
  mutable std::mutex mutex_;
  std::condition_variable left_;
  bool ending_ = false;
  uint64_t last_id_ = 0;
  std::map<uint64_t, std::weak_ptr<HttpMember>> members_;
};

inline std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

}  // namespace posewire::service::internal

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_CORE_H_
