// Tracks the requests being pushed, because two calls that push the same one would be mixed in its
// pulls.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_OPEN_REQUESTS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_OPEN_REQUESTS_H_

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "services/a2f_source/core/runner.h"

namespace posewire::a2f_source {

// Thread-safe. Must outlive its claims.
class OpenRequests {
 public:
  using Key = std::pair<std::string, std::string>;  // stream and request

  // While it exists, no other call can push the request.
  class Claim {
   public:
    Claim(OpenRequests* of, Key key) : of_(of), key_(std::move(key)) {}
    ~Claim() { of_->Release(key_); }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

   private:
    OpenRequests* const of_;
    const Key key_;
  };

  // ALREADY_EXISTS if another call pushes it.
  absl::StatusOr<std::unique_ptr<Claim>> Open(const RunIds& ids) {
    Key key{ids.stream_id, ids.request_id};
    std::lock_guard lock(mutex_);
    if (!open_.insert(key).second) {
      return absl::AlreadyExistsError(
          absl::StrCat("request_id \"", ids.request_id,
                       "\" is being pushed by another call; use a new request_id"));
    }
    return std::make_unique<Claim>(this, std::move(key));
  }

 private:
  void Release(const Key& key) {
    std::lock_guard lock(mutex_);
    open_.erase(key);
  }

  std::mutex mutex_;
  std::set<Key> open_;  // guarded by mutex_
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_OPEN_REQUESTS_H_
