// State that the connections of one HttpHost share. Internal to libs/service.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_HTTP_CORE_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_HTTP_CORE_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/http/http_guard.h"
#include "libs/service/http/http_host.h"
#include "libs/service/http/http_router.h"
#include "libs/service/logger.h"

namespace posewire::service::internal {

// One connection. Its functions are called on any thread and run on its own strand.
class HttpMember {
 public:
  virtual ~HttpMember() = default;
  virtual void Drain() = 0;  // Ends after the current request.
  virtual void Cut() = 0;    // Ends immediately.
  // Ends if it is still waiting, to make room for another connection.
  virtual void GiveWay() {}
};

// The wait state of a connection. When all places are taken, connections give way in this order,
// and within one state the longest wait goes first. kForReader: the client has been receiving a
// reply for longer than http-transfer-timeout-s.
enum class HttpWait { kForRequest, kForItsRest, kForReader, kNone };

// What a new connection may be used for.
enum class HttpRoom { kAny, kProbes, kNone };

// Extra connections, only for routes with `when_full`.
inline constexpr int kProbePlaces = 8;

// Outlives the threads of the host, and with them every connection. Thread-safe.
class HttpCore {
 public:
  HttpCore(HttpOptions options, HttpRouter router, HttpGuard guard, Logger log)
      : options(std::move(options)),
        router(std::move(router)),
        guard(std::move(guard)),
        log(std::move(log)) {}

  // Every connection enters once and leaves in its destructor. Returns 0 if the host is ending; the
  // connection must then end too.
  uint64_t Enter(const std::shared_ptr<HttpMember>& member) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (ending_) return 0;
    members_[++last_id_].member = member;
    return last_id_;
  }
  void Leave(uint64_t id) {
    std::lock_guard<std::mutex> lock(mutex_);
    Forget(id, members_[id]);
    members_.erase(id);
    left_.notify_all();
  }
  // Sets a member's wait state. A member in state kNone is never asked to give way.
  void SetWait(uint64_t id, HttpWait wait) {
    std::lock_guard<std::mutex> lock(mutex_);
    Entry& entry = members_[id];
    Forget(id, entry);
    entry.wait = wait;
    entry.turn = ++last_turn_;
    if (wait != HttpWait::kNone) waiting_.insert({wait, entry.turn, id});
  }
  // Makes room for one more connection; asks a member to give way if necessary.
  HttpRoom MakeRoom() {
    std::shared_ptr<HttpMember> goes;  // Released after the lock, since it may be the last
                                       // reference.
    std::lock_guard<std::mutex> lock(mutex_);
    const auto staying = [this] { return static_cast<int>(members_.size()) - leaving_; };
    if (staying() >= options.max_connections && !waiting_.empty()) {
      Entry& entry = members_[std::get<2>(*waiting_.begin())];
      waiting_.erase(waiting_.begin());
      entry.leaving = true;
      ++leaving_;
      goes = entry.member.lock();
      if (goes != nullptr) goes->GiveWay();
    }
    if (staying() < options.max_connections) return HttpRoom::kAny;
    return staying() < options.max_connections + kProbePlaces ? HttpRoom::kProbes : HttpRoom::kNone;
  }
  // Rejects new members from now on, and returns the current ones.
  std::vector<std::shared_ptr<HttpMember>> End() {
    std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
    std::vector<std::shared_ptr<HttpMember>> there;
    for (const auto& [id, entry] : members_) {
      if (auto alive = entry.member.lock()) there.push_back(std::move(alive));
    }
    return there;
  }
  bool ending() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return ending_;
  }
  // Returns false if some members remained after `budget`.
  bool WaitUntilEmpty(std::chrono::duration<double> budget) {
    std::unique_lock<std::mutex> lock(mutex_);
    return left_.wait_for(lock, budget, [this] { return members_.empty(); });
  }
  // The reply for connections without a place.
  HttpReply AllAtWork() const {
    const std::string why =
        absl::StrCat("there are ", options.max_connections,
                     " connections already, and all are at work; --http-max-connections of ",
                     options.program, " allows more");
    log.Warning("an HTTP connection was refused", {{"why", why}});
    HttpReply reply = HttpReply::Error(503, why);
    reply.headers.emplace_back("Retry-After", "1");
    return reply;
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
  struct Entry {
    std::weak_ptr<HttpMember> member;
    HttpWait wait = HttpWait::kNone;
    uint64_t turn = 0;
    bool leaving = false;  // It was asked to give way.
  };
  void Forget(uint64_t id, Entry& entry) {
    waiting_.erase({entry.wait, entry.turn, id});
    if (std::exchange(entry.leaving, false)) --leaving_;
  }

  mutable std::mutex mutex_;
  std::condition_variable left_;
  bool ending_ = false;
  uint64_t last_id_ = 0, last_turn_ = 0;
  std::map<uint64_t, Entry> members_;
  std::set<std::tuple<HttpWait, uint64_t /*turn*/, uint64_t /*id*/>> waiting_;
  int leaving_ = 0;
};

inline std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

}  // namespace posewire::service::internal

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_HTTP_CORE_H_
