// Implements grpc.health.v1 on a completion queue. gRPC's own implementation would add polling
// threads to those of the queue, and each message would wake one of them.
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

// Thread-safe. Shared ownership: each call holds a reference. The owner must keep its reference
// until the server has shut down.
class Health : public std::enable_shared_from_this<Health> {
 public:
  using AsyncService = ::grpc::health::v1::Health::AsyncService;
  using Answer = ::grpc::health::v1::HealthCheckResponse;
  class Watch;

  // Register this with the server.
  AsyncService& service() { return service_; }
  // Accepts calls on `queue` and counts them in `count`. Call once, after the server has started.
  // `names` are the server's services. Reports SERVING for these and for the empty name.
  void Serve(const std::vector<std::string>& names, grpc::ServerCompletionQueue* queue,
             CallCount* count);
  // Sets the status of all names, and informs watches.
  void SetServing(bool serving);
  // SERVICE_UNKNOWN for an unknown name.
  Answer::ServingStatus StatusOf(const std::string& name) const;

  // Called by watches on the queue's thread. A watch lasts as long as its client wants, so there
  // are at most 16 per connection and 1024 in total; RESOURCE_EXHAUSTED above that.
  absl::Status Add(Watch* watch, const std::string& peer);
  void Remove(Watch* watch);
  grpc::ServerCompletionQueue* queue() const { return queue_; }
  CallCount* count() const { return count_; }

 private:
  void TellWatches();

  AsyncService service_;
  grpc::ServerCompletionQueue* queue_ = nullptr;
  CallCount* count_ = nullptr;
  absl::flat_hash_map<Watch*, std::string> watches_;  // with their peer; used on the queue's thread
  absl::flat_hash_map<std::string, int> by_peer_;     // used on the queue's thread
  mutable std::mutex mutex_;
  std::map<std::string, bool> serving_;  // guarded by mutex_
  std::shared_ptr<Health> rung_;         // guarded by mutex_; keeps this alive until waker_ has run
  std::unique_ptr<QueueWaker> waker_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HEALTH_H_
