// A directory whose leases are in Redis.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_DIRECTORY_REDIS_DIRECTORY_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_DIRECTORY_REDIS_DIRECTORY_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/logger.h"
#include "services/anim_graph/core/call_context.h"
#include "services/anim_graph/directory/lease_keeper.h"
#include "services/anim_graph/directory/redis_lease_store.h"

namespace posewire::anim_graph {

struct DirectoryOptions {
  std::string redis;  // for ParseRedisAddress; empty: this process serves all streams
  // HOST:PORT by which other processes call this one; port 0: that of `listen`. Empty: `listen`, or
  // the only address of this machine if `listen` is a wildcard.
  std::string address;
  std::string if_lost = "continue";  // or "pause"
};
// `listen` is the address of this process's gRPC server. INVALID_ARGUMENT names the setting.
absl::StatusOr<std::unique_ptr<StreamDirectory>> OpenDirectory(const DirectoryOptions& options,
                                                               absl::string_view listen,
                                                               const service::Logger& log);

// One thread asks Redis. At most kMostWaiting calls wait for it; others get UNAVAILABLE.
class RedisDirectory : public StreamDirectory {
 public:
  static constexpr size_t kMostWaiting = 4096;

  // `address`: see DirectoryOptions; empty: the address that Serve gets.
  RedisDirectory(service::RedisAddress redis, std::string address, bool pause,
                 const service::Logger& log);
  ~RedisDirectory() override { Close(); }

  void Locate(absl::string_view stream_id, Done done) override;
  void FindOthers(NodesDone done) override;
  absl::StatusOr<LeasePtr> Lease(absl::string_view stream_id) override;
  std::optional<SavedStream> TakeSaved(absl::string_view stream_id) override {
    return keeper_.TakeSaved(std::string(stream_id));
  }
  void Save(absl::string_view stream_id, const LeasePtr& lease, std::string snapshot) override {
    keeper_.Save(std::string(stream_id), lease, std::move(snapshot));
  }
  void HandOver(absl::string_view stream_id, const LeasePtr& lease, std::string snapshot,
                double end_s) override;
  void ClaimNoMore() override;
  void Serve(const std::string& address, std::function<void(const LostLease&)> lost) override;
  void Close() override;

 private:
  struct Question {
    std::string stream_id;
    Done done;
  };

  void Run();
  void Answer(std::vector<Question> questions);
  void AnswerAll(std::vector<NodesDone> asked);
  // If one answer throws, the others are still given.
  template <typename Asker, typename Answered>
  void Tell(Asker& done, const Answered& answer) {
    (void)service::CatchExceptions(log_, "directory answer", [&] { done(answer); });
  }

  const std::string address_;
  const service::Logger log_;
  RedisLeaseStore store_;
  LeaseKeeper keeper_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Question> questions_;  // guarded by mutex_
  std::vector<NodesDone> others_;    // guarded by mutex_: calls of FindOthers
  bool claims_ = true;               // guarded by mutex_
  bool leaving_ = false;             // guarded by mutex_: a stream is handed over
  bool stop_ = false;                // guarded by mutex_
  std::thread thread_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_DIRECTORY_REDIS_DIRECTORY_H_
