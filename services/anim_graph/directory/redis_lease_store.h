// Leases in Redis.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_DIRECTORY_REDIS_LEASE_STORE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_DIRECTORY_REDIS_LEASE_STORE_H_

#include <memory>
#include <string>
#include <vector>

#include "libs/service/redis/redis_connection.h"
#include "services/anim_graph/directory/lease_store.h"

namespace posewire::anim_graph {

// | key | value | expires |
// | posewire:epoch | "RUN_ID MS": when the data of this run of Redis began | never |
// | posewire:node:SESSION | address of the owner | a term after it was renewed |
// | posewire:clock:SESSION | the owner's monotonic time at the end of its term, in seconds | 1 h |
// | posewire:stream:ID | "SESSION NUMBER UNIX_OFFSET": the claim | 1 h after it was written |
//
// Needs one Redis without replicas to fail over to, and without eviction (maxmemory-policy
// noeviction). Its clock may be wrong but must not be set while processes hold leases.
class RedisLeaseStore : public LeaseStore {
 public:
  explicit RedisLeaseStore(service::RedisAddress address) : address_(std::move(address)) {}

  absl::StatusOr<Session> Open(const std::string& address, int64_t now_ns) override;
  absl::Status Renew(const Session& session, int64_t now_ns) override;
  absl::StatusOr<std::vector<Answer>> Take(const Session& session, Now now,
                                           const std::vector<Claim>& claims) override;
  absl::Status Release(const Session& session, const std::vector<Claim>& claims) override;
  absl::StatusOr<std::vector<bool>> Save(const Session& session,
                                         const std::vector<Snapshot>& snapshots) override;
  absl::StatusOr<std::vector<std::string>> Nodes() override;
  absl::Status Close(const Session& session, int64_t now_ns) override;

 private:
  using Command = service::RedisConnection::Command;
  absl::StatusOr<std::vector<std::string>> Call(const std::vector<Command>& commands);
  absl::StatusOr<std::vector<service::RedisConnection::Answer>> Try(
      const std::vector<Command>& commands);

  const service::RedisAddress address_;
  std::unique_ptr<service::RedisConnection> connection_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_DIRECTORY_REDIS_LEASE_STORE_H_
