// grpc.health.v1 on a completion queue. gRPC's own would keep threads that poll beside the queue's,
// and each message would wake one of them for the next.
#ifndef POSEWIRE_LIBS_SERVICE_HEALTH_H_
#define POSEWIRE_LIBS_SERVICE_HEALTH_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "grpc.health.v1.grpc.pb.h"
#include "libs/service/queue_waker.h"

namespace posewire::service {

// Thread-safe. Kept alive by its calls beyond its owner, who drops it after the server's shutdown.
class Health : public std::enable_shared_from_this<Health> {
 public:
  using AsyncService = ::grpc::health::v1::Health::AsyncService;
  using Answer = ::grpc::health::v1::HealthCheckResponse;
  class Watch;

  // To be registered with the server.
  AsyncService& service() { return service_; }
  // The server has been started: takes calls on its queue, and counts them. `names` are those of
  // its services, which serve from now on, as does the empty name.
  void Serve(const std::vector<std::string>& names, grpc::ServerCompletionQueue* queue,
             CallCount* count);
  // Of all names. Those who watch are told.
  void SetServing(bool serving);
  // SERVICE_UNKNOWN for a name that is not known.
  Answer::ServingStatus StatusOf(const std::string& name) const;

  // For the watches, on the queue's thread. A watch lasts as long as its client wants, so there are
  // at most 16 of a connection and 1024 of all; RESOURCE_EXHAUSTED for one more.
  absl::Status Add(Watch* watch, const std::string& peer);
  void Remove(Watch* watch);
  grpc::ServerCompletionQueue* queue() const { return queue_; }
  CallCount* count() const { return count_; }

 private:
  void TellWatches();

  AsyncService service_;
  grpc::ServerCompletionQueue* queue_ = nullptr;
  CallCount* count_ = nullptr;
  absl::flat_hash_map<Watch*, std::string> watches_;  // with their peer; of the queue's thread
  absl::flat_hash_map<std::string, int> by_peer_;     // of the queue's thread
  mutable std::mutex mutex_;
  std::map<std::string, bool> serving_;  // guarded by mutex_
  std::shared_ptr<Health> rung_;         // guarded by mutex_: this, while the bell rings
  std::unique_ptr<QueueWaker> waker_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HEALTH_H_
